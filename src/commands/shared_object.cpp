// SPDX-License-Identifier: Apache-2.0
// Shared objects from memory; see shared_object.h.
#include "commands/shared_object.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "driver/files.h"

namespace tessera::commands {

void* load_shared_object(const std::string& bytes, bool global, DiagnosticSink& sink) {
  // The loader knows objects by their path, and the path holds the number of the descriptor: it stays open.
  static std::vector<driver::Descriptor> kept;
  const int number = ::memfd_create("tessera", MFD_CLOEXEC);
  if (number < 0) {
    sink.report(Diag::kernel_not_loaded, {}, std::strerror(errno));
    return nullptr;
  }
  kept.emplace_back(number);
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t count = ::write(number, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      sink.report(Diag::kernel_not_loaded, {}, std::strerror(errno));
      return nullptr;
    }
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  const std::string path = fmt::format("/proc/self/fd/{}", number);
  void* object = ::dlopen(path.c_str(), RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (object == nullptr) sink.report(Diag::kernel_not_loaded, {}, ::dlerror());
  return object;
}

void* find_symbol(void* object, const std::string& name, DiagnosticSink& sink) {
  void* symbol = ::dlsym(object, name.c_str());
  if (symbol == nullptr)
    sink.report(Diag::kernel_not_loaded, {}, fmt::format("it does not define `{}`", name));
  return symbol;
}

}  // namespace tessera::commands
