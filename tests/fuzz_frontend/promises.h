// SPDX-License-Identifier: Apache-2.0
// What the front end promises of any text, as something that can be asked of one text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera::fuzz {

/// Thrown with a sentence and the texts it is about when a promise is broken.
class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How far a text is taken: through parser and formatter; through the checks; through planning and printing.
enum class Reach { syntax, checks, code };

/// In which forms the diagnostics are shown: to show them all takes longer than all that goes before for text of random
/// bytes, where every second byte is a mistake.
enum class Forms { all, brief };

/// Whether a text is one of those, one in `count`, that are asked more. It depends on the text alone, so that what was
/// found is found again; the decisions of two different `question`s have nothing to do with each other.
bool is_chosen(std::string_view text, std::uint64_t question, std::uint64_t count);

/// How far a text came. Each step is reached without an error of the step before.
struct Outcome {
  bool parsed = false;
  bool checked = false;
  bool emitted = false;
};

/// Requires of `text`, whatever its bytes: no internal error; a result exactly if there is no error; every diagnostic
/// stands inside the file and can be shown in these forms. Of what parses: formatting keeps the tree and the comments,
/// formatting again changes nothing. Of what checks: sound IR that can be printed and read back, and the same IR after
/// formatting. Of what `check_plans` accepts: code. Throws `Broken` or what the compiler threw.
Outcome require_promises(std::string text, Reach reach, Forms forms = Forms::all);

}  // namespace tessera::fuzz
