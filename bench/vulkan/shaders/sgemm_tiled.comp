#version 450
// C = A * B of square matrices by tiles of 16x16 that a workgroup keeps in shared memory.
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
shared float tile_a[16][16], tile_b[16][16];

void main()
{
    uint row = gl_GlobalInvocationID.y, column = gl_GlobalInvocationID.x;
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    float sum = 0;
    for (uint tile = 0; tile < size; tile += 16) {
        tile_a[y][x] = a[row * size + tile + x];
        tile_b[y][x] = b[(tile + y) * size + column];
        barrier();
        for (uint k = 0; k < 16; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        barrier();
    }
    c[row * size + column] = sum;
}
