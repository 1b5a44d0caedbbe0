/* The least: one host, one piece of Lua, its value as JSON. */
#include <qa_host.h>
#include <stdio.h>

int main(void) {
  qa_host *host = NULL;
  if (qa_host_create(NULL, &host) != QA_HOST_OK) {
    fprintf(stderr, "minimal: %s\n", qa_host_last_error(NULL));
    return 1;
  }
  char *json = NULL;
  const int code = qa_host_run_string(host, "return { version = qa.version, sum = 1 + 2 }", &json);
  if (code == QA_HOST_OK) {
    printf("%s\n", json);
  } else {
    fprintf(stderr, "minimal: %s\n", qa_host_last_error(host));
  }
  qa_host_free(json);
  qa_host_destroy(host);
  return code;
}
