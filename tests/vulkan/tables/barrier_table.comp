#version 450
/* Does nothing: the dispatches of barrier_table.c only mark places in the stream. */
layout(local_size_x = 64) in;
void main() {}
