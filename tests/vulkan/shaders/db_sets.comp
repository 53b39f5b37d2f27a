#version 450
/* More sets than a stage has registers for. */
layout(local_size_x = 1) in;
#define WORD(n)                                                                                                        \
    layout(set = n, binding = 0) uniform Word##n                                                                       \
    {                                                                                                                  \
        uvec4 w##n;                                                                                                    \
    };
WORD(0) WORD(1) WORD(2) WORD(3) WORD(4) WORD(5) WORD(6) WORD(7) WORD(8) WORD(9) WORD(10) WORD(11) WORD(12) WORD(13)
layout(set = 14, binding = 0) uniform Inline {
    uvec4 within;
};
layout(set = 15, binding = 0) buffer Out {
    uint results[];
};
void main()
{
    results[0] = w0.x; results[1] = w1.x; results[2] = w2.x; results[3] = w3.x; results[4] = w4.x;
    results[5] = w5.x; results[6] = w6.x; results[7] = w7.x; results[8] = w8.x; results[9] = w9.x;
    results[10] = w10.x; results[11] = w11.x; results[12] = w12.x; results[13] = w13.x; results[14] = within.x;
}
