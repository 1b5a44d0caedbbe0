// The one place where fmt is compiled: Debian has no archive of it, and as a header it would be in every unit again.

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// What its headers declare extern.
template FMT_API auto thousands_sep_impl(locale_ref loc) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref loc) -> char;

}  // namespace detail
FMT_END_NAMESPACE
