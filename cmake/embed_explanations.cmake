# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C++ file that holds docs/diagnostics/T*.md as a table from code to text.
# Call: cmake -DINPUT_DIR=<docs/diagnostics> -DOUTPUT=<file.cpp> -P embed_explanations.cmake
file(GLOB pages "${INPUT_DIR}/T[0-9][0-9][0-9][0-9].md")
list(SORT pages)
set(rows "")
foreach(page IN LISTS pages)
  get_filename_component(code "${page}" NAME_WE)
  file(READ "${page}" text)
  string(APPEND rows "  {\"${code}\", R\"~page~(${text})~page~\"},\n")
endforeach()
set(content "// Made from docs/diagnostics by cmake/embed_explanations.cmake.
#include \"base/embedded_explanations.h\"

namespace tessera::detail {

namespace {
constexpr EmbeddedExplanation kExplanations[] = {
${rows}  {\"\", \"\"},
};
}  // namespace

std::span<const EmbeddedExplanation> embedded_explanations() {
  return std::span(kExplanations).first(std::size(kExplanations) - 1);
}

}  // namespace tessera::detail
")
file(WRITE "${OUTPUT}" "${content}")
