/* Buffers that shaders read and write, compute shaders, queries, indirect draws. */
#include "gl.h"

#include <string.h>

static void uniform_blocks(void)
{
    float data[64][4];
    for (int i = 0; i < 64; i++) {
        const float one[4] = {(float)(i % 8) / 7, (float)(i / 8) / 7, (float)(i * 5 % 11) / 10, 1};
        memcpy(data[i], one, sizeof(one));
    }
    GLuint program = gl_use(
        NULL, "in vec2 at;\nout vec4 result;\n"
              "layout(std140) uniform Colors { vec4 colors[64]; };\n"
              "void main() { ivec2 cell = ivec2(at * 8.0); result = colors[(cell.x * 3 + cell.y * 8) & 63]; }\n");
    GLuint buffer = gl_buffer(GL_UNIFORM_BUFFER, data, sizeof(data));
    glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Colors"), 2);
    glBindBufferBase(GL_UNIFORM_BUFFER, 2, buffer);
    gl_fill();
}

static void texture_buffer(void)
{
    GLubyte bytes[1024 * 4];
    GLuint texture;
    for (int i = 0; i < (int)sizeof(bytes); i++)
        bytes[i] = (GLubyte)(i * 37 >> i % 3);
    GLuint buffer = gl_buffer(GL_TEXTURE_BUFFER, bytes, sizeof(bytes));
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform samplerBuffer data;\n"
                 "void main() { ivec2 cell = ivec2(at * 32.0); result = texelFetch(data, cell.x + cell.y * 32); }\n");
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_BUFFER, texture);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, buffer);
    gl_fill();
}

/* A compute shader writes an image; barriers and shared memory turn its blocks. */
static void compute_image(void)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 256, 256);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindImageTexture(0, texture, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    gl_use_compute("layout(local_size_x = 8, local_size_y = 8) in;\n"
                   "layout(rgba8, binding = 0) writeonly uniform image2D target;\n"
                   "shared vec4 values[64];\n"
                   "void main() {\n"
                   "    uint at = gl_LocalInvocationIndex;\n"
                   "    values[at] = vec4(vec2(gl_GlobalInvocationID.xy) / 256.0, float(at) / 64.0, 1.0);\n"
                   "    barrier();\n"
                   "    imageStore(target, ivec2(gl_GlobalInvocationID.xy), values[63u - at]);\n"
                   "}\n");
    glDispatchCompute(32, 32, 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
    gl_use(NULL,
           "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\nvoid main() { result = texture(image, at); }\n");
    gl_fill();
}

/* A histogram by atomics, shown as bars. The last bar is a maximum, and no sum goes there: additions and maxima on one
   word would depend on their order. */
static void compute_atomics(void)
{
    GLuint counts[64] = {0};
    GLuint buffer = gl_buffer(GL_SHADER_STORAGE_BUFFER, counts, sizeof(counts));
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, buffer);
    gl_use_compute("layout(local_size_x = 64) in;\n"
                   "layout(std430, binding = 1) buffer Counts { uint counts[64]; };\n"
                   "void main() {\n"
                   "    uint n = gl_GlobalInvocationID.x;\n"
                   "    atomicAdd(counts[(n * n + n / 7u) % 63u], 1u);\n"
                   "    atomicMax(counts[63], n / 32u);\n"
                   "}\n");
    glDispatchCompute(64, 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    gl_use(NULL, "in vec2 at;\nout vec4 result;\n"
                 "layout(std430, binding = 1) buffer Counts { uint counts[64]; };\n"
                 "void main() { float high = float(counts[int(at.x * 64.0)]) / 200.0; result = at.y < high ? vec4(1.0, "
                 "at.x, 0.2, 1.0) : vec4(0.1); }\n");
    gl_fill();
}

/* Bars as long as the number of samples that passed. */
static void occlusion(void)
{
    GLuint queries[6];
    GLuint program = gl_use("uniform vec4 box;\nuniform float depth;\n"
                            "void main() { vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1); gl_Position = "
                            "vec4(mix(box.xy, box.zw, corner), depth, 1.0); }\n",
                            "uniform vec4 color;\nout vec4 result;\nvoid main() { result = color; }\n");
    glGenQueries(6, queries);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 6; i++) {
        float left = -0.9f + (float)i * 0.11f;
        gl_uniform(program, "box", 4, (const float[4]){left, left, left + 0.7f, left + 0.5f}, 1);
        gl_uniform(program, "depth", 1, (const float[1]){(float)(i * 3 % 7) / 10}, 1);
        gl_uniform(program, "color", 4, (const float[4]){0.2f, (float)i / 6, 0.5f, 1}, 1);
        glBeginQuery(i == 5 ? GL_ANY_SAMPLES_PASSED : GL_SAMPLES_PASSED, queries[i]);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        glEndQuery(i == 5 ? GL_ANY_SAMPLES_PASSED : GL_SAMPLES_PASSED);
    }
    glDisable(GL_DEPTH_TEST);
    for (int i = 0; i < 6; i++) {
        GLuint passed;
        glGetQueryObjectuiv(queries[i], GL_QUERY_RESULT, &passed);
        float length = i == 5 ? (passed ? 0.5f : 0.1f) : (float)passed / 5000;
        gl_uniform(program, "box", 4,
                   (const float[4]){-0.95f, 0.3f + (float)i * 0.1f, -0.95f + length, 0.37f + (float)i * 0.1f}, 1);
        gl_uniform(program, "color", 4, (const float[4]){1, 0.8f, 0.1f, 1}, 1);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    glBeginConditionalRender(queries[5], GL_QUERY_WAIT);
    gl_uniform(program, "box", 4, (const float[4]){0.5f, -0.9f, 0.9f, -0.5f}, 1);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glEndConditionalRender();
}

static void indirect(void)
{
    static const GLuint commands[3][4] = {{3, 4, 0, 0}, {6, 2, 3, 5}, {3, 1, 9, 9}};
    gl_use("out vec4 shade;\n"
           "void main() {\n"
           "    float angle = float(gl_VertexID) * 2.1 + float(gl_InstanceID);\n"
           "    vec2 center = vec2(float(gl_VertexID / 3) * 0.5 - 0.7, float(gl_InstanceID) * 0.45 - 0.7);\n"
           "    gl_Position = vec4(center + 0.25 * vec2(cos(angle), sin(angle)), 0.0, 1.0);\n"
           "    shade = vec4(float(gl_VertexID % 3) / 2.0, float(gl_InstanceID) / 4.0, 0.6, 1.0);\n"
           "}\n",
           "in vec4 shade;\nout vec4 result;\nvoid main() { result = shade; }\n");
    gl_buffer(GL_DRAW_INDIRECT_BUFFER, commands, sizeof(commands));
    glMultiDrawArraysIndirect(GL_TRIANGLES, NULL, 3, 0);
}

/* Arithmetic whose result no rounding changes much: loops, branches, integers, functions. */
static void arithmetic(void)
{
    gl_use(NULL, "in vec2 at;\nout vec4 result;\n"
                 "uint hash(uint n) { n ^= n >> 4; n *= 0x9e3779b1u; return n ^ (n >> 15); }\n"
                 "void main() {\n"
                 "    vec2 z = vec2(0.0), c = at * vec2(2.4, 2.0) - vec2(1.7, 1.0);\n"
                 "    int n = 0;\n"
                 "    for (; n < 24 && dot(z, z) < 4.0; n++) z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;\n"
                 "    uint noise = hash(uint(at.x * 32.0) + uint(at.y * 32.0) * 57u);\n"
                 "    result = vec4(float(n) / 24.0, 0.5 + 0.5 * sin(at.x * 9.0 + cos(at.y * 7.0)), float(noise & "
                 "255u) / 255.0, 1.0);\n"
                 "}\n");
    gl_fill();
}

/* Registers do not suffice: arrays that are indexed by values. */
static void private_arrays(void)
{
    gl_use(NULL, "in vec2 at;\nout vec4 result;\n"
                 "void main() {\n"
                 "    float values[48];\n"
                 "    for (int i = 0; i < 48; i++) values[i] = fract(float(i) * 0.37 + at.y);\n"
                 "    int a = int(at.x * 47.0), b = int(at.y * 47.0);\n"
                 "    values[b] = 1.0;\n"
                 "    result = vec4(values[a], values[(a + b) % 48], values[47 - a], 1.0);\n"
                 "}\n");
    gl_fill();
}

/* Vertices that a vertex shader makes are kept, until the buffer is full, and drawn again by another; bars show the
 * counts. */
static void transform_feedback(void)
{
    static const char *const names[2] = {"place", "shade"};
    GLuint feedback, query, written, buffer = gl_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, NULL, 100 * 8 * sizeof(float));
    GLuint program = gl_use("out vec4 place, shade;\n"
                            "void main() {\n"
                            "    float angle = float(gl_VertexID) * 0.4;\n"
                            "    place = vec4(cos(angle), sin(angle), 0.0, 1.0) * (0.9 - float(gl_VertexID) * 0.006);\n"
                            "    place.w = 1.0;\n"
                            "    shade = vec4(float(gl_VertexID % 3) * 0.5, float(gl_VertexID) / 120.0, 0.4, 1.0);\n"
                            "    gl_Position = place;\n"
                            "}\n",
                            "in vec4 shade;\nout vec4 result;\nvoid main() { result = shade; }\n");
    glTransformFeedbackVaryings(program, 2, names, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(program);
    glUseProgram(program);
    glGenTransformFeedbacks(1, &feedback);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, feedback);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    glGenQueries(1, &query);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
    glBeginTransformFeedback(GL_TRIANGLES);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 20);
    glDrawArrays(GL_TRIANGLES, 20, 60);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glDisable(GL_RASTERIZER_DISCARD);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0);

    program = gl_use("layout(location = 0) in vec4 place;\nlayout(location = 1) in vec4 color;\nout vec4 shade;\n"
                     "void main() { gl_Position = place; shade = color; }\n",
                     "in vec4 shade;\nout vec4 result;\nvoid main() { result = shade; }\n");
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    gl_attribute(0, 4, 8 * sizeof(float), 0);
    gl_attribute(1, 4, 8 * sizeof(float), 4 * sizeof(float));
    glDrawTransformFeedback(GL_TRIANGLES, feedback);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, (GLsizei)written * 6, 6);
    glClearColor(1, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
}

/* Two buffers, one value each; lines of instances, and points that go on where lines have paused. */
static void feedback_buffers(void)
{
    static const char *const names[2] = {"place", "shade"};
    GLuint buffers[2], feedback;
    GLuint program =
        gl_use("out vec4 place;\nout vec3 shade;\n"
               "void main() {\n"
               "    float angle = float(gl_VertexID) * 0.5 + float(gl_InstanceID) * 0.2;\n"
               "    place = vec4(vec2(cos(angle), sin(angle)) * (0.3 + 0.2 * float(gl_InstanceID)), 0.0, 1.0);\n"
               "    shade = vec3(float(gl_VertexID & 1), float(gl_InstanceID) / 3.0, 0.7);\n"
               "    gl_Position = place;\n"
               "}\n",
               "out vec4 result;\nvoid main() { result = vec4(1.0); }\n");
    glTransformFeedbackVaryings(program, 2, names, GL_SEPARATE_ATTRIBS);
    glLinkProgram(program);
    glUseProgram(program);
    glGenTransformFeedbacks(1, &feedback);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, feedback);
    for (unsigned i = 0; i < 2; i++) {
        static const float zero[200 * 4];
        buffers[i] = gl_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, zero, sizeof(zero));
        glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffers[i], 16, 180 * 16);
    }
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_LINES);
    glDrawArraysInstanced(GL_LINE_STRIP, 0, 12, 4);
    glPauseTransformFeedback();
    glDrawArrays(GL_LINES, 0, 6); /* leaves nothing behind */
    glResumeTransformFeedback();
    glDrawArrays(GL_LINE_LOOP, 5, 7);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);

    gl_use("layout(location = 0) in vec4 place;\nlayout(location = 1) in vec3 color;\nout vec3 shade;\n"
           "void main() { gl_Position = vec4(place.xyz, 1.0); shade = color; }\n",
           "in vec3 shade;\nout vec4 result;\nvoid main() { result = vec4(shade, 1.0); }\n");
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    gl_attribute(0, 4, 16, 16);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
    gl_attribute(1, 3, 12, 16);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 100);
    glDrawArrays(GL_LINES, 0, 110);
}

const struct gl_scene gl_data_scenes[] = {
    {"uniform_blocks", uniform_blocks, true},
    {"texture_buffer", texture_buffer, false},
    {"compute_image", compute_image, true},
    {"compute_atomics", compute_atomics, true},
    {"occlusion", occlusion, false},
    {"indirect", indirect, false},
    {"transform_feedback", transform_feedback, false},
    {"feedback_buffers", feedback_buffers, true},
    {"arithmetic", arithmetic, true},
    {"private_arrays", private_arrays, true},
    {0},
};
