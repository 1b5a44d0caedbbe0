/* A program that is compiled against an installed prefix. */
#include <qa_host.h>
#include <stdio.h>

int main(void) {
  qa_host *host = NULL;
  char *json = NULL;
  if (qa_host_abi_version() != QA_HOST_ABI_VERSION || qa_host_create(NULL, &host) != 0) {
    fprintf(stderr, "%s\n", qa_host_last_error(NULL));
    return 1;
  }
  if (qa_host_run_string(host, "return { answer = 6 * 7, share = qa.fs.share() }", &json) != 0) return 1;
  puts(json);
  qa_host_free(json);
  qa_host_destroy(host);
  return 0;
}
