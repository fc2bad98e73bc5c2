# SPDX-License-Identifier: Apache-2.0
# tessera_grammar: the lexer and parser that antlr4 makes from grammar/ at build time, with the ANTLR runtime, which is
# linked statically. Generated code gets its own flags: it is not ours to keep free of warnings.
include_guard(GLOBAL)

find_program(ANTLR4 NAMES antlr4 DOC "The ANTLR 4 tool (Debian: antlr4)" REQUIRED)
find_path(ANTLR4_RUNTIME_INCLUDE NAMES antlr4-runtime.h PATH_SUFFIXES antlr4-runtime
  DOC "Headers of the ANTLR 4 C++ runtime (Debian: libantlr4-runtime-dev)" REQUIRED)
find_library(ANTLR4_RUNTIME NAMES libantlr4-runtime.a DOC "The ANTLR 4 C++ runtime as a static library" REQUIRED)
find_package(Threads REQUIRED)

set(grammar_dir "${PROJECT_SOURCE_DIR}/grammar")
set(generated_dir "${PROJECT_BINARY_DIR}/grammar")
set(lexer_outputs "${generated_dir}/TesseraLexer.cpp" "${generated_dir}/TesseraLexer.h" "${generated_dir}/TesseraLexer.tokens")
set(parser_outputs "${generated_dir}/TesseraParser.cpp" "${generated_dir}/TesseraParser.h")

# The umbrella header of the runtime, less one part that nothing here needs: as `const` members without initialisers are
# not default-constructed everywhere, Clang refuses it. Generated code finds this copy first.
file(READ "${ANTLR4_RUNTIME_INCLUDE}/antlr4-runtime.h" umbrella)
string(REPLACE "#include \"misc/InterpreterDataReader.h\"" "" umbrella "${umbrella}")
file(CONFIGURE OUTPUT "${generated_dir}/antlr4-runtime.h" CONTENT "${umbrella}" @ONLY)

# antlr4 writes beside its working directory's grammar unless the grammar is named without a folder.
add_custom_command(
  OUTPUT ${lexer_outputs}
  COMMAND "${ANTLR4}" -Dlanguage=Cpp -no-listener -no-visitor -Werror -o "${generated_dir}" TesseraLexer.g4
  WORKING_DIRECTORY "${grammar_dir}"
  DEPENDS "${grammar_dir}/TesseraLexer.g4"
  COMMENT "Generating the lexer"
  VERBATIM)
add_custom_command(
  OUTPUT ${parser_outputs}
  COMMAND "${ANTLR4}" -Dlanguage=Cpp -no-listener -no-visitor -Werror -lib "${generated_dir}" -o "${generated_dir}"
          TesseraParser.g4
  WORKING_DIRECTORY "${grammar_dir}"
  DEPENDS "${grammar_dir}/TesseraParser.g4" "${generated_dir}/TesseraLexer.tokens"
  COMMENT "Generating the parser"
  VERBATIM)

add_library(tessera_grammar STATIC ${lexer_outputs} ${parser_outputs})
# The runtime's headers predate char8_t; -w because the code is generated.
target_compile_options(tessera_grammar PRIVATE -w PUBLIC -fno-char8_t)
target_compile_features(tessera_grammar PUBLIC cxx_std_20)
target_include_directories(tessera_grammar SYSTEM PUBLIC "${generated_dir}" "${ANTLR4_RUNTIME_INCLUDE}")
target_link_libraries(tessera_grammar PUBLIC "${ANTLR4_RUNTIME}" Threads::Threads)
