#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
// Every float in memory is the number of its word: what is read says where it was read.
layout(local_size_x = 1) in;
struct Inner { vec3 a; float b; mat2x3 c[2]; };
struct Pair { float x; vec2 y[2]; };
layout(set = 0, binding = 0, std140) uniform U {
    float a; vec3 b; mat3 c; layout(row_major) mat2x4 d; float e[3]; Inner f[2]; layout(row_major) mat3x2 g[2]; vec2 h;
} u;
layout(set = 0, binding = 1, std430) buffer S {
    float a; vec3 b; mat3 c; layout(row_major) mat2x4 d; float e[3]; Inner f[2]; Pair g[2][3]; vec4 tail[];
} s;
layout(set = 0, binding = 2, scalar) buffer C { float a; vec3 b; mat3 c; Inner f[2]; vec3 tail[]; } c;
layout(set = 0, binding = 3) buffer Out { float r[]; } result;
layout(set = 0, binding = 4) buffer Narrow { uint8_t b[8]; u16vec3 h; float16_t f; uint64_t w; double d; i8vec4 v; } n;
layout(set = 0, binding = 5) buffer Index { int at[8]; } index;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { vec4 v; Node next; float more[]; };
layout(push_constant) uniform P { layout(offset = 16) vec3 a; Node head; mat2 m[2]; } p;
layout(set = 0, binding = 6) buffer Many { float a; float b[]; } many[3];
shared Pair block[4];
shared mat3 turn;
shared bool flags[3];
uint at = 0;
void put(float x) { result.r[at++] = x; }
void put(vec2 v) { put(v.x); put(v.y); }
void put(vec3 v) { put(v.x); put(v.y); put(v.z); }
void put(vec4 v) { put(v.xy); put(v.zw); }
void put(mat3 m) { put(m[0]); put(m[1]); put(m[2]); }
void put(Inner i) { put(i.a); put(i.b); put(i.c[0][0]); put(i.c[0][1]); put(i.c[1][0]); put(i.c[1][1]); }
void main()
{
    int one = index.at[0], two = index.at[1]; // 1 and 2, unknown to the compiler
    put(u.a); put(u.b); put(u.c); put(u.d[0]); put(u.d[1]); put(u.e[0]); put(u.e[two]);
    put(u.f[0]); put(u.f[one]); put(u.g[0][0]); put(u.g[one][two]); put(u.d[one][two]); put(u.h); put(u.c[two][one]);
    put(s.a); put(s.b); put(s.c); put(s.d[one]); put(s.e[two]); put(s.f[one].c[one][one][two]); put(s.g[one][two].y[one].x);
    put(s.tail[one]); put(s.tail[two].zw); put(float(s.tail.length()));
    put(c.a); put(c.b); put(c.c); put(c.f[one]); put(c.tail[two]); put(float(c.tail.length()));
    put(many[two].b[one]); put(float(many[one].b.length()));
    put(p.a); put(p.m[one][one]); put(p.m[0][one].x);
    put(p.head.v); put(p.head.next.v.y); put(p.head.next.more[one]); put(p.head.next.next.v);
    put(float(n.b[one])); put(float(n.h.z)); put(float(n.f)); put(float(n.w)); put(float(n.d)); put(float(n.v.w));
    // Stores, seen in the buffers afterwards.
    s.d[one] = vec4(-1, -2, -3, -4);
    s.f[one].c[0] = mat2x3(-5, -6, -7, -8, -9, -10);
    s.g[one][one].y[one].y = -11;
    c.tail[one].y = -12;
    n.b[two] = uint8_t(200); n.h.y = uint16_t(60000); n.w = 0x123456789abcdef0ul; n.v[two] = int8_t(-5);
    p.head.next.next.v.w = -13;
    p.head.next.more[two] = -14;
    Inner copy = s.f[0];
    s.f[one].a = copy.a * 2;
    // Workgroup memory and variables.
    for (int i = 0; i < 4; i++) { block[i].x = float(i); block[i].y[one] = vec2(i * 10, i * 100); block[i].y[0] = vec2(-i); }
    turn = mat3(1, 2, 3, 4, 5, 6, 7, 8, 9); turn[one][two] = 60;
    flags[0] = one == 1; flags[one] = one == 2; flags[two] = flags[0] && !flags[1];
    put(block[two].x); put(block[two + one].y[one]); put(block[one].y[0]); put(transpose(turn)); put(flags[two] ? 1.0 : 0.0);
    float grid[3][4]; mat3x2 ms[2];
    for (int i = 0; i < 12; i++) grid[i / 4][i % 4] = float(i * i);
    ms[0] = mat3x2(1, 2, 3, 4, 5, 6); ms[1] = ms[0] * 10; ms[one][two].x = -1;
    put(grid[two][one]); put(grid[one][two + one]); put(ms[one][two]); put(ms[one][one]); put(ms[0][two].y);
    Pair pairs[2]; pairs[one] = Pair(7, vec2[](vec2(8, 9), vec2(10, 11))); pairs[0] = pairs[one]; pairs[0].y[one].x = 12;
    put(pairs[one].y[one]); put(pairs[0].y[one]); put(pairs[0].x);
}
