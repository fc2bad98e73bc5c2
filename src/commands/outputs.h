// SPDX-License-Identifier: Apache-2.0
// Where generated files go: `-o` names a folder, a file or standard output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "driver/files.h"

namespace tessera::commands {

/// What `--emit` can ask for.
enum class EmitKind { ast, ir, plan, cuda, header, ptx, deps, report };

/// The meaning of `-o` (and `--emit-dir`) for one source.
struct Destination {
  enum class Form { folder, cuda_file, file, standard_output };
  Form form = Form::folder;
  std::string folder;  // of everything that is not named by `path`; ends with '/' or is empty
  std::string stem;    // of generated names: "softmax"
  std::string path;    // cuda_file and file: the file itself

  /// The path of a generated file.
  std::string place(const std::string& name) const { return folder + name; }
};

/// Works out the destination; what does not fit together is reported, as wrong usage.
std::optional<Destination> find_destination(const std::string& output, const std::string& emit_folder,
                                            const std::string& source_path,
                                            const std::vector<EmitKind>& kinds, std::size_t architectures,
                                            DiagnosticSink& sink);

/// Writes all files, or none: folders are made, equal files left alone. A file that would replace the source
/// is refused.
bool write_outputs(const std::vector<driver::NamedBytes>& files, const std::string& source_path,
                   DiagnosticSink& sink);

/// A dependency file as make and ninja read it: targets, a colon, what they are made from.
std::string dependency_text(const std::vector<std::string>& targets, const std::vector<std::string>& sources);

}  // namespace tessera::commands
