/* See wait.h. */
#include "tools/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/bits.h"

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
static volatile pid_t child;

/* A terminal's signal goes to every process in front of it: the child has it already. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    if (info->si_code <= 0 && child > 0)
        kill(child, number);
}

static void become_program(char **argv, const sigset_t *mask, pid_t parent, int tell)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a SIGKILL of this process is meant for the program */
    if (getppid() != parent)
        _exit(1);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    int error = errno;
    while (write(tell, &error, sizeof(error)) < 0 && errno == EINTR) {
    }
    _exit(127);
}

struct tool_wait tool_run_and_wait(char **argv)
{
    int tell[2], error = 0, status = 0;
    sigset_t all, old;
    pid_t parent = getpid();
    if (pipe2(tell, O_CLOEXEC) != 0)
        return (struct tool_wait){.error = errno};
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &old); /* none is lost between the handlers and the child's number */
    for (unsigned i = 0; i < ARRAY_SIZE(passed_on); i++) {
        struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART}, now;
        if (sigaction(passed_on[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) /* nohup's choice stays */
            sigaction(passed_on[i], &action, NULL);
    }
    child = fork();
    if (child == 0)
        become_program(argv, &old, parent, tell[1]);
    int fork_error = errno;
    sigprocmask(SIG_SETMASK, &old, NULL);
    close(tell[1]);
    if (child < 0) {
        close(tell[0]);
        return (struct tool_wait){.error = fork_error};
    }
    ssize_t got;
    while ((got = read(tell[0], &error, sizeof(error))) < 0 && errno == EINTR) {
    }
    close(tell[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    child = 0;
    if (got == (ssize_t)sizeof(error))
        return (struct tool_wait){.error = error};
    if (WIFSIGNALED(status))
        return (struct tool_wait){.signal = WTERMSIG(status)};
    return (struct tool_wait){.code = WEXITSTATUS(status)};
}

void tool_end_by_signal(int number)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none); /* the program has dumped its core; ours would show nothing */
    signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    exit(128 + number);
}
