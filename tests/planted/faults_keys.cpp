// SPDX-License-Identifier: Apache-2.0
// Keys of the cache that lack a part.
#include "planted/fault.h"

namespace tessera::planted {

namespace {

PlantedFault without(const char* name, const char* text, const char* replacement = "") {
  return {.name = std::string("key without ") + name,
          .group = kKeys,
          .edits = {{"src/driver/compile.cpp", text, replacement}}};
}

}  // namespace

void add_key_faults(std::vector<PlantedFault>& faults) {
  for (PlantedFault fault :
       {without("the program itself", "  hash.update_field(*own_digest());\n"),
        without("the identity of the compiler", "  hash.update_field(request.compiler.identity);\n"),
        without("the identity of the host compiler",
                "  hash.update_field(request.host_compiler.identity);\n"),
        without("arguments", "  add_all(\"arguments\", arguments_of(request, \"/folder\"), add_text);\n"),
        without("the environment", "  add_all(\"environment\", tool_environment(\"/folder\"), add_text);\n"),
        without("units", "  add_all(\"units\", request.units, add_file);\n"),
        without("headers", "  add_all(\"headers\", request.headers, add_file);\n"),
        without("symbols", "  add_all(\"symbols\", request.symbols, add_text);\n"),
        without("names of files", "    hash.update_field(file.name);\n"),
        without("contents of files", "    hash.update_field(file.bytes);\n"),
        without("the caller's options",
                "  arguments.insert(arguments.end(), request.options.begin(), request.options.end());\n"),
        without("the architecture", "request.architecture.substr(request.architecture.find('_') + 1)",
                "std::string(\"80\")"),
        without("the last item of lists", "for (const auto& item : items) spell(item);",
                "for (std::size_t i = 0; i + 1 < items.size(); ++i) spell(items[i]);")})
    faults.push_back(std::move(fault));
}

}  // namespace tessera::planted
