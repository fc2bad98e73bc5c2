//@ BANNER
//@ INCLUDE
#include "tessera/kernel.h"

//@ OPEN
using namespace tessera;
using tessera::index;

namespace {

//@ FUNCTIONS
}  // namespace

//@ LAUNCHERS
//@ CLOSE
