//@ BANNER
//@ INCLUDE

//@ OPEN
namespace {

using tessera::Status;

//@ CHOICE
}  // namespace

//@ DISPATCHERS
//@ CLOSE
//@ C_ENTRIES
