// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bench {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(trimmed(field));
  return fields;
}

Epilogue epilogue_of(const std::string& text) {
  if (text == "none") return Epilogue::none;
  if (text == "bias_gelu") return Epilogue::bias_gelu;
  if (text == "bias_gelu_apart") return Epilogue::bias_gelu_apart;
  throw std::runtime_error("no epilogue " + text);
}

Orders orders_of(const std::string& text) {
  if (text.size() != 2 || text.find_first_not_of("nt") != std::string::npos) {
    throw std::runtime_error("orders are nn, nt, tn or tt, not " + text);
  }
  return {text[0] == 't', text[1] == 't'};
}

/// The cases of a line, one for each of its orders.
std::vector<Case> cases_of(const std::vector<std::string>& fields) {
  if (fields.size() != 10) throw std::runtime_error("a case has ten fields");
  Case all{.group = fields[0],
           .source = fields[1],
           .kernel = fields[2],
           .type = type_of(fields[3]),
           .epilogue = epilogue_of(fields[4]),
           .shape = {std::stoll(fields[5]), std::stoll(fields[6]), std::stoll(fields[7])},
           .pitch = std::stoll(fields[8]),
           .orders = {}};
  std::vector<Case> cases;
  std::istringstream orders(fields[9]);
  for (std::string text; orders >> text;) {
    all.orders = orders_of(text);
    cases.push_back(all);
  }
  return cases;
}

bool is_chosen(const Case& one, const std::vector<std::string>& words) {
  return words.empty() || std::any_of(words.begin(), words.end(), [&](const std::string& word) {
           return one.name().find(word) != std::string::npos;
         });
}

}  // namespace

std::string Case::shape_text() const {
  std::string text = std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
  return pitch == 0 ? text : text + " pitch +" + std::to_string(pitch);
}

std::vector<Case> read_cases(const std::string& path, const std::vector<std::string>& words) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Case> chosen;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (trimmed(line).empty() || line[0] == '#') continue;
    try {
      for (Case& one : cases_of(fields_of(line))) {
        if (is_chosen(one, words)) chosen.push_back(std::move(one));
      }
    } catch (const std::exception& error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return chosen;
}

}  // namespace bench
