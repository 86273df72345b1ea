// gtest's extension point for printers: gtest-printers.h includes the first
// file of this name, and tests look in tests/testing/ first.
//
// Prints a row of a table by its name. Without this, a failed test shows it as
// "40-byte object <...>".
#ifndef GOOGLETEST_INCLUDE_GTEST_INTERNAL_CUSTOM_GTEST_PRINTERS_H_
#define GOOGLETEST_INCLUDE_GTEST_INTERNAL_CUSTOM_GTEST_PRINTERS_H_

#include <concepts>
#include <ostream>
#include <string_view>

namespace mulligan_rows {

// Printers are found only by the type's namespace.
template <typename T>
concept HasPrinter = requires(const T& value, std::ostream& out) {
  PrintTo(value, &out);
}
|| requires(const T& value, std::ostream& out) { out << value; };

template <typename T>
concept Text = std::convertible_to<T, std::string_view>;

// Returns the row's name, else its text or file.
template <typename T>
requires requires(const T& row) {
  { row.name } -> Text;
}
std::string_view NameOfRow(const T& row) { return row.name; }
template <typename T>
requires(!requires(const T& row) { row.name; }) && requires(const T& row) {
  { row.text } -> Text;
}
std::string_view NameOfRow(const T& row) { return row.text; }
template <typename T>
requires(!requires(const T& row) { row.name; }) && requires(const T& row) {
  { row.file } -> Text;
}
std::string_view NameOfRow(const T& row) { return row.file; }

template <typename T>
concept NamedRow = !HasPrinter<T> && requires(const T& row) {
  NameOfRow(row);
};

}  // namespace mulligan_rows

namespace testing::internal {

template <typename T>
class UniversalPrinter;

template <mulligan_rows::NamedRow T>
class UniversalPrinter<T> {
 public:
  static void Print(const T& row, std::ostream* out) {
    *out << mulligan_rows::NameOfRow(row);
  }
};

}  // namespace testing::internal

#endif  // GOOGLETEST_INCLUDE_GTEST_INTERNAL_CUSTOM_GTEST_PRINTERS_H_
