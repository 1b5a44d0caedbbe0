#include "host/store/sqlite_library.h"

#pragma GCC visibility push(hidden)
#include <sqlite3.h>
#pragma GCC visibility pop

#include "host/lazy_library.h"

/// What sqlite_store.cpp calls: F(result, name, parameters, arguments).
// clang-format off
#define QA_SQLITE_FUNCTIONS(F) \
  F(int, sqlite3_bind_int64, (sqlite3_stmt* a, int b, sqlite3_int64 c), (a, b, c)) \
  F(int, sqlite3_bind_text64, \
    (sqlite3_stmt* a, int b, const char* c, sqlite3_uint64 d, void (*e)(void*), unsigned char f), (a, b, c, d, e, f)) \
  F(int, sqlite3_busy_timeout, (sqlite3* a, int b), (a, b)) \
  F(int, sqlite3_changes, (sqlite3* a), (a)) \
  F(int, sqlite3_close_v2, (sqlite3* a), (a)) \
  F(int, sqlite3_column_bytes, (sqlite3_stmt* a, int b), (a, b)) \
  F(int, sqlite3_column_count, (sqlite3_stmt* a), (a)) \
  F(sqlite3_int64, sqlite3_column_int64, (sqlite3_stmt* a, int b), (a, b)) \
  F(const unsigned char*, sqlite3_column_text, (sqlite3_stmt* a, int b), (a, b)) \
  F(int, sqlite3_column_type, (sqlite3_stmt* a, int b), (a, b)) \
  F(const char*, sqlite3_db_filename, (sqlite3* a, const char* b), (a, b)) \
  F(int, sqlite3_errcode, (sqlite3* a), (a)) \
  F(const char*, sqlite3_errmsg, (sqlite3* a), (a)) \
  F(int, sqlite3_finalize, (sqlite3_stmt* a), (a)) \
  F(sqlite3_int64, sqlite3_last_insert_rowid, (sqlite3* a), (a)) \
  F(int, sqlite3_open_v2, (const char* a, sqlite3** b, int c, const char* d), (a, b, c, d)) \
  F(int, sqlite3_prepare_v2, (sqlite3* a, const char* b, int c, sqlite3_stmt** d, const char** e), (a, b, c, d, e)) \
  F(int, sqlite3_sleep, (int a), (a)) \
  F(int, sqlite3_step, (sqlite3_stmt* a), (a))
// clang-format on

QA_LAZY_LIBRARY("libsqlite3.so.0", QA_SQLITE_FUNCTIONS)

const std::string& qa::sqlite_fault() { return loaded(); }
