# SPDX-License-Identifier: Apache-2.0
# Writes the files of templates/ as string literals into one C++ source.
#   cmake -DFOLDER=templates -DOUTPUT=out.cpp -P embed_templates.cmake
file(GLOB files "${FOLDER}/*.cu" "${FOLDER}/*.h" "${FOLDER}/*.cpp")
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND rows "    {\"${name}\", R\"template(${text})template\"},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Made from templates/ by cmake/embed_templates.cmake.
#include \"emit/template.h\"

namespace tessera::emit {

const std::map<std::string_view, std::string_view>& embedded_templates() {
  static const std::map<std::string_view, std::string_view> kTemplates = {
${rows}  };
  return kTemplates;
}

}  // namespace tessera::emit
")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUTPUT}.new")
