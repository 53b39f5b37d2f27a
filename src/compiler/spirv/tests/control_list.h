/* The programs of shaders/control_programs.h. */
#define CONTROL_PROGRAMS(P)                                                                                            \
    P(if) P(early_return) P(loop) P(nested_break) P(return_from_loops) P(switch) P(fall_through) P(switch_in_loop)     \
    P(break_nested_switch) P(while) P(do_while) P(short_circuit) P(calls) P(array) P(swap) P(value_after_loop)         \
    P(continue_in_inner_switch) P(many_cases) P(infinite) P(out)
