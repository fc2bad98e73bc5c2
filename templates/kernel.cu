//@ BANNER
//@ INCLUDE
//@ RUNTIME

//@ OPEN
using namespace tessera;
using tessera::index;  // hides ::index, a function of <strings.h>

namespace {

//@ FUNCTIONS
}  // namespace

/// Called by the dispatcher.
namespace detail {

//@ LAUNCHERS
}  // namespace detail

//@ CLOSE
