#ifndef QA_HOST_H
#define QA_HOST_H
/* qa-host inside your own program: C API of libqa_host, C11 and C++17. docs/embedding.md has the story and examples.
 *
 *   qa_host_create -> qa_host_run_string | _script | _strategy -> ... -> qa_host_destroy
 *
 * A host belongs to the thread that made it. A run takes that thread until it ends, and calls your functions on it, so
 * one thread runs one script at a time; several hosts may live in one thread and in many. Texts are UTF-8 with a zero
 * at the end. Every `int` that is no number of something is a qa_host_code. Nothing throws, and what you pass must not
 * either: an exception or a longjmp out of your functions is undefined, as is a pointer to something else.
 * The library installs no signal handler, changes no folder or environment variable, never forks your process and
 * writes nothing to stdout or stderr. */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#define QA_HOST_ABI_VERSION 1 /* Grows when programs must be compiled again. */
#define QA_HOST_API __attribute__((visibility("default")))

typedef enum qa_host_code {
  QA_HOST_OK = 0,
  QA_HOST_FAILED = 1,       /* The script raised an error, or there was nothing to run: qa_host_last_error. */
  QA_HOST_CANCELLED = 2,    /* The run was stopped, or its host destroyed. */
  QA_HOST_INVALID = 3,      /* An argument is missing or wrong: NULL, a name, junk instead of JSON. */
  QA_HOST_VERSION = 4,      /* qa_host_options.size is not one that this library knows. */
  QA_HOST_WRONG_THREAD = 5, /* Called on another thread than the host's. Nothing was done. */
  QA_HOST_BUSY = 6,         /* Called from inside a run of the same host. Nothing was done. */
  QA_HOST_NOT_RUNNING = 7,  /* qa_host_stop: there is no run to stop. */
  QA_HOST_NO_SHARE = 8,     /* The folder of scripts was not found: qa_host_last_error(NULL) names it. */
  QA_HOST_NO_MEMORY = 9,
  QA_HOST_INTERNAL = 10 /* A fault of the library: please report it, with qa_host_last_error. */
} qa_host_code;

typedef struct qa_host qa_host;
typedef struct qa_host_call qa_host_call; /* A call of one of your functions that is to be answered. */

/* What a host goes by. Set `size` and what you need; 0 and NULL mean the default:
 *   C:   qa_host_options options = {.size = sizeof options, .out = "runs"};
 *   C++: qa_host_options options{}; options.size = sizeof options; options.out = "runs"; */
typedef struct qa_host_options {
  size_t size;         /* sizeof(qa_host_options), by which the library knows what it may read. */
  const char *share;   /* Folder with scripts/ and strategies/. Default: ../share/qa-host of the library. */
  const char *folder;  /* Working folder that you trust, with qa-host.lua and strategies/. Default: none. */
  const char *out;     /* Parent of run directories. Default: qa-runs in the current folder, made when needed. */
  const char *state;   /* Ledger and memory. Default: QA_STATE, else qa-host in $XDG_STATE_HOME. */
  const char *browser; /* The browser's program. Default: the first one installed, as qa-host --help says. */
  int headed;          /* Not 0: browsers show their windows. */
  const char *budget;  /* Dollars that models may cost in one run: "0.25". Default: QA_BUDGET, else 0.50. */
  size_t memory_bytes; /* What Lua may hold. Default: 256 MiB. */
  int stretch_ms;      /* The longest stretch of Lua without waiting. Default: 5000. */
  const char *cdp, *grid, *browserbase; /* A remote one: values of --cdp, --grid, --browserbase ("*": any region). */
  const char *allow_process;            /* Programs that scripts may start: "make,node", "*" for any. Default: none. */
  void *user; /* Passed to the functions below. They are called on the host's thread, during runs. */
  /* The value of an environment variable, NULL when it is not set; valid until the next call. Default: getenv. */
  const char *(*environment)(void *user, const char *name);
  /* A message: debug, info, warn, error, or "line" for progress. Default: dropped. Foreign text is in it as it came. */
  void (*log)(void *user, const char *level, const char *text);
  void (*print)(void *user, const char *text); /* What Lua's print() says, without line break. Default: dropped. */
  /* What happens in a run, as it stands in its trace.jsonl: {"op":"event","args":{"name":..,"data":..},..}. */
  void (*event)(void *user, const char *json);
} qa_host_options;

/* QA_HOST_ABI_VERSION of the library that is loaded. Any thread. */
QA_HOST_API int qa_host_abi_version(void);
/* "0.1.0". Any thread. */
QA_HOST_API const char *qa_host_version(void);

/* Makes a host; NULL options are the defaults. *host is NULL unless the answer is QA_HOST_OK. */
QA_HOST_API int qa_host_create(const qa_host_options *options, qa_host **host);
/* Frees a host; NULL is ignored. Any thread, once. During a run it stops the run at once, which answers
 * QA_HOST_CANCELLED, and returns before that; the host's functions may still be called until then. */
QA_HOST_API void qa_host_destroy(qa_host *host);

/* Runs Lua text. *json is what it returned: a value, null for nothing, an array for several; free it with qa_host_free.
 * Each run has a fresh Lua machine and a budget of its own, and closes its browsers and programs at the end.
 * `json` may be NULL. On any answer but QA_HOST_OK, *json is NULL. */
QA_HOST_API int qa_host_run_string(qa_host *host, const char *lua, char **json);
/* The same for a file and what it requires beside it. `arguments` is a JSON array of strings, its qa.args; or NULL. */
QA_HOST_API int qa_host_run_script(qa_host *host, const char *path, const char *arguments, char **json);
/* Tests `target`, a URL, a folder or an .html file, with a strategy by name or path; NULL is the standard one.
 * `options` is JSON or NULL: {"set":{..},"metadata":..,"seed":1,"max_duration_ms":60000}. *report is report.json; its
 * "status" is the verdict: pass, fail, inconclusive or error. QA_HOST_FAILED: nothing could begin. */
QA_HOST_API int qa_host_run_strategy(qa_host *host, const char *strategy, const char *target, const char *options,
                                     char **report);
/* Stops the run. Any thread. Lua ends at its next step, and may conclude until `deadline_ms` have passed; then the run
 * is given up, and what it has open is killed. It answers QA_HOST_CANCELLED unless it was at its end. */
QA_HOST_API int qa_host_stop(qa_host *host, int deadline_ms);

/* What the last run or call on this host failed with: a line of text, and JSON {kind, message, op, detail, traceback}.
 * "" and "null" when it did not fail. Valid until the next call on the host. Host's thread. For NULL: of the last
 * qa_host_create of this thread. */
QA_HOST_API const char *qa_host_last_error(const qa_host *host);
QA_HOST_API const char *qa_host_last_error_json(const qa_host *host);
/* The verdict of the last qa_host_run_strategy that had one: "pass", "fail", "inconclusive", "error"; "" before. */
QA_HOST_API const char *qa_host_last_status(const qa_host *host);

/* A function of yours. `arguments` is a JSON array; answer the call with qa_host_complete or qa_host_fail. */
typedef void (*qa_host_function)(void *user, qa_host_call *call, const char *arguments);
/* Adds a function that scripts call: "game.level" is require("game").level(...). Between runs. It answers before it
 * returns, else the script gets nil; its call is gone then. Names are words of letters, digits and _, with dots
 * between; not qa. */
QA_HOST_API int qa_host_add_function(qa_host *host, const char *name, qa_host_function function, void *user);
/* The same for a function that may answer later, on any thread: the script waits, and the rest goes on meanwhile.
 * Each call must be answered once, also when its run or host is gone: then the answer is dropped. */
QA_HOST_API int qa_host_add_async_function(qa_host *host, const char *name, qa_host_function function, void *user);
/* Adds the source of a Lua module for require "name". Between runs. It comes before files of that name. */
QA_HOST_API int qa_host_add_module(qa_host *host, const char *name, const char *lua);
/* Answer a call, which is freed. Any thread. Junk instead of JSON is QA_HOST_INVALID, and the script's error. */
QA_HOST_API int qa_host_complete(qa_host_call *call, const char *json);
/* The script gets nil and an error of kind native_error with this message. */
QA_HOST_API int qa_host_fail(qa_host_call *call, const char *message);

/* Frees a text that the library gave through a char **. NULL is ignored. */
QA_HOST_API void qa_host_free(void *text);

#ifdef __cplusplus
}
#endif
#endif
