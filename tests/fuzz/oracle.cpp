// SPDX-License-Identifier: Apache-2.0
// Checker and interpreter against the evaluation; see oracle.h.
#include "fuzz/oracle.h"

#include <exception>

#include "frontend/parse.h"
#include "fuzz/judge.h"
#include "fuzz/print.h"
#include "interp/interpreter.h"
#include "sema/check.h"

namespace tessera::fuzz {

namespace {

constexpr std::int64_t kPartitions[] = {interp::Partition::kChosen, 3, interp::Partition::kWhole};

interp::Arguments arguments_of(const Program& program, int problem) {
  interp::Arguments arguments;
  for (const Tensor& tensor : program.tensors) {
    for (const Size& size : tensor.dimensions) {
      if (size.symbol < 0) continue;
      const Symbol& symbol = program.symbols[static_cast<std::size_t>(size.symbol)];
      arguments.symbols[symbol.name] = symbol.extents[static_cast<std::size_t>(problem)];
    }
  }
  for (const Scalar& scalar : program.scalars) {
    const std::int64_t value = scalar.values[static_cast<std::size_t>(problem)];
    arguments.scalars[scalar.name] = {static_cast<double>(value), value};
  }
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const Tensor& tensor = program.tensors[i];
    if (tensor.is_output) continue;
    interp::Array array = interp::Array::zeros(tensor.type, shape_of(program, tensor, problem));
    std::int64_t position = 0;
    for (const double value : input_values(program, static_cast<int>(i), problem))
      interp::set_element(array, position++, value);
    arguments.tensors[tensor.name] = std::move(array);
  }
  return arguments;
}

std::vector<double> values_of(const interp::Array& array) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < array.count(); ++i) values.push_back(interp::element_as_double(array, i));
  return values;
}

}  // namespace

std::string errors_of(const DiagnosticSink& sink) {
  std::string text;
  for (const Diagnostic& one : sink.sorted()) {
    if (one.severity() != Severity::error) continue;
    text += (text.empty() ? "" : "; ") + std::string(info(one.kind).code) + ": " + one.message;
  }
  return text;
}

void check_program(const Program& program, Checked& checked) {
  checked.text = print(program);
  DiagnosticSink sink;
  try {
    const FileId file = checked.sources.add(program.name + ".tsr", checked.text);
    const std::optional<ast::File> tree = parse(checked.sources.file(file), sink);
    if (tree) checked.module = check(*tree, sink);
  } catch (const std::exception& error) {
    checked.module.reset();
    checked.refusal = std::string("internal: ") + error.what();
    return;
  }
  if (!checked.module) checked.refusal = errors_of(sink);
}

std::string judge_interpreter(const Program& program, const ir::Kernel& kernel, int problem,
                              const Expected& expected) {
  const interp::Arguments arguments = arguments_of(program, problem);
  for (const std::int64_t step : kPartitions) {
    const std::string how = "interpreter at step " + std::to_string(step) + ": ";
    const interp::Result result = interp::run(kernel, arguments, {interp::Numbers::declared, {.step = step}});
    if (!result.ok()) return how + result.error->message;
    for (const auto& [name, array] : result.outputs) {
      const std::string wrong = difference(expected, name, values_of(array));
      if (!wrong.empty()) return how + wrong;
    }
  }
  return {};
}

}  // namespace tessera::fuzz
