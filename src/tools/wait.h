/* Runs a program and waits for it as if it were this process: signals are passed on to it, and its exit becomes ours.
 */
#ifndef TOOLS_WAIT_H
#define TOOLS_WAIT_H

struct tool_wait {
    int error;  /* errno, where it could not be started */
    int code;   /* its exit code */
    int signal; /* what ended it; 0: it ended itself */
};

struct tool_wait tool_run_and_wait(char **argv);

/* End as it ended; a shell then reports the same of us. */
void tool_end_by_signal(int number) __attribute__((noreturn));

#endif
