//@ BANNER
//@ INCLUDE

//@ OPEN

/// In the .cu files.
namespace detail {
//@ LAUNCHERS
}  // namespace detail

namespace {

using tessera::Status;

//@ CHOICE
}  // namespace

//@ DISPATCHERS
//@ CLOSE
//@ C_ENTRIES
