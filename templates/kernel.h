//@ BANNER
#pragma once

#include "tessera/abi.h"

#ifdef __cplusplus
//@ OPEN
//@ DECLARATIONS
//@ CLOSE
extern "C" {
#endif
//@ C_DECLARATIONS
#ifdef __cplusplus
}
#endif
