#version 450
// C = A * B of square matrices, as one would write it first: an invocation reads a row and a column.
layout(local_size_x = 16, local_size_y = 16) in;
layout(push_constant) uniform Arguments {
    uint size;
};
layout(set = 0, binding = 0) readonly buffer A {
    float a[];
};
layout(set = 0, binding = 1) readonly buffer B {
    float b[];
};
layout(set = 0, binding = 2) writeonly buffer C {
    float c[];
};

void main()
{
    uint row = gl_GlobalInvocationID.y, column = gl_GlobalInvocationID.x;
    float sum = 0;
    for (uint k = 0; k < size; k++)
        sum += a[row * size + k] * b[k * size + column];
    c[row * size + column] = sum;
}
