/* A pixel's fate after its shader: tests, blending, targets of many samples and formats. */
#include "gl.h"

/* A square of one colour and depth. */
static const char square_vertex[] = "uniform vec4 box;\nuniform float depth;\n"
                                    "void main() {\n"
                                    "    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                                    "    gl_Position = vec4(mix(box.xy, box.zw, corner), depth, 1.0);\n"
                                    "}\n";
static const char square_fragment[] = "uniform vec4 color;\nout vec4 result;\nvoid main() { result = color; }\n";

static void square(GLuint program, float x, float y, float size, float depth, float red, float green, float blue,
                   float alpha)
{
    gl_uniform(program, "box", 4, (const float[4]){x, y, x + size, y + size}, 1);
    gl_uniform(program, "depth", 1, &depth, 1);
    gl_uniform(program, "color", 4, (const float[4]){red, green, blue, alpha}, 1);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void blending(void)
{
    static const GLenum factors[8] = {GL_ZERO,      GL_ONE,       GL_SRC_ALPHA,      GL_ONE_MINUS_SRC_ALPHA,
                                      GL_DST_COLOR, GL_DST_ALPHA, GL_CONSTANT_COLOR, GL_ONE_MINUS_SRC_COLOR};
    static const GLenum equations[5] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX};
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nvoid main() { result = vec4(at, 0.5, at.x); }\n");
    gl_fill();
    GLuint program = gl_use(square_vertex, square_fragment);
    glEnable(GL_BLEND);
    glBlendColor(0.2f, 0.7f, 0.4f, 0.6f);
    for (int i = 0; i < 64; i++) {
        glBlendEquationSeparate(equations[i % 5], equations[i / 5 % 5]);
        glBlendFuncSeparate(factors[i % 8], factors[i / 8], factors[(i + 3) % 8], GL_ONE);
        square(program, -0.97f + (float)(i % 8) * 0.245f, -0.97f + (float)(i / 8) * 0.245f, 0.2f, 0, 0.8f, 0.3f, 0.6f,
               0.55f);
    }
}

static void color_mask(void)
{
    GLuint program = gl_use(square_vertex, square_fragment);
    for (int i = 0; i < 16; i++) {
        glColorMask(i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1);
        square(program, -0.95f + (float)(i % 4) * 0.48f, -0.95f + (float)(i / 4) * 0.48f, 0.42f, 0, 0.9f, 0.8f, 0.7f,
               0.2f);
    }
}

static void logic_op(void)
{
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nvoid main() { result = vec4(at, 0.4, 1.0); }\n");
    gl_fill();
    GLuint program = gl_use(square_vertex, square_fragment);
    glEnable(GL_COLOR_LOGIC_OP);
    for (int i = 0; i < 16; i++) {
        glLogicOp(GL_CLEAR + (GLenum)i);
        square(program, -0.95f + (float)(i % 4) * 0.48f, -0.95f + (float)(i / 4) * 0.48f, 0.42f, 0, 0.9f, 0.3f, 0.7f,
               1);
    }
}

static void draw_crossing(void)
{
    static const char vertex[] =
        "flat out int which;\n"
        "void main() {\n"
        "    which = gl_VertexID / 3;\n"
        "    int corner = gl_VertexID % 3;\n"
        "    float angle = float(which) * 1.2 + float(corner) * 2.0944;\n"
        "    gl_Position = vec4(cos(angle) * 0.9, sin(angle) * 0.9, sin(float(gl_VertexID) * 1.7) * 0.8, 1.0);\n"
        "}\n";
    gl_use(vertex, "flat in int which;\nout vec4 result;\n"
                   "void main() { result = vec4(float(which & 1), float(which) / 5.0, gl_FragCoord.z, 1.0); }\n");
    glDrawArrays(GL_TRIANGLES, 0, 15);
}

static void depth_test(void)
{
    glEnable(GL_DEPTH_TEST);
    draw_crossing();
}

/* After it the depth buffer itself is shown, copied by the driver. */
static void depth_texture(void)
{
    static const GLenum kinds[4] = {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT32F,
                                    GL_DEPTH24_STENCIL8};
    for (int i = 0; i < 4; i++) {
        GLuint textures[2], frame;
        bool stencil = kinds[i] == GL_DEPTH24_STENCIL8;
        glGenTextures(2, textures);
        glBindTexture(GL_TEXTURE_2D, textures[0]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 128, 128);
        glBindTexture(GL_TEXTURE_2D, textures[1]);
        glTexStorage2D(GL_TEXTURE_2D, 1, kinds[i], 128, 128);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glGenFramebuffers(1, &frame);
        glBindFramebuffer(GL_FRAMEBUFFER, frame);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[0], 0);
        glFramebufferTexture2D(GL_FRAMEBUFFER, stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT,
                               GL_TEXTURE_2D, textures[1], 0);
        glViewport(0, 0, 128, 128);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        glEnable(GL_DEPTH_TEST);
        draw_crossing();
        glBindFramebuffer(GL_FRAMEBUFFER, gl_target);
        glDisable(GL_DEPTH_TEST);
        glViewport(i % 2 * 128, i / 2 * 128, 128, 128);
        gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\n"
                     "void main() { float z = texture(image, at).x; result = vec4(z, fract(z * 16.0), 0.2, 1.0); }\n");
        gl_fill();
    }
}

static void depth_functions(void)
{
    static const GLenum functions[8] = {GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                        GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};
    GLuint program = gl_use(square_vertex, square_fragment);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    for (int i = 0; i < 3; i++)
        square(program, -0.9f + (float)i * 0.6f, -0.95f, 1.9f, -0.5f + (float)i * 0.5f, 0.3f, 0.2f * (float)i, 0.5f, 1);
    glDepthMask(GL_FALSE);
    for (int i = 0; i < 8; i++) {
        glDepthFunc(functions[i]);
        for (int k = 0; k < 3; k++)
            square(program, -0.85f + (float)k * 0.6f, -0.93f + (float)i * 0.24f, 0.2f, 0, 1, (float)i / 8, 0.1f, 1);
    }
}

/* The shader says how deep its pixels are. */
static void shader_depth(void)
{
    glEnable(GL_DEPTH_TEST);
    gl_use(NULL, "in vec2 at;\nout vec4 result;\n"
                 "void main() { gl_FragDepth = 0.5 + 0.4 * sin(at.x * 20.0); result = vec4(at, 0.0, 1.0); }\n");
    gl_fill();
    gl_use(NULL, "in vec2 at;\nout vec4 result;\n"
                 "void main() { gl_FragDepth = 0.5 + 0.4 * sin(at.y * 20.0); result = vec4(0.0, at.yx, 1.0); }\n");
    gl_fill();
}

static void stencil(void)
{
    static const GLenum ops[6] = {GL_INCR, GL_DECR, GL_INVERT, GL_REPLACE, GL_INCR_WRAP, GL_DECR_WRAP};
    GLuint program = gl_use(square_vertex, square_fragment);
    glEnable(GL_STENCIL_TEST);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    for (int i = 0; i < 12; i++) {
        glStencilFunc(i % 3 ? GL_ALWAYS : GL_EQUAL, i, 0x0f);
        glStencilOp(ops[i % 6], GL_KEEP, ops[(i + 2) % 6]);
        glStencilMask(i % 4 ? 0xff : 0x55);
        square(program, -0.95f + (float)(i * 5 % 12) * 0.1f, -0.95f + (float)i * 0.1f, 0.8f, 0, 1, 1, 1, 1);
    }
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    for (int bit = 0; bit < 8; bit++) {
        glStencilFunc(GL_EQUAL, 1 << bit, 1u << bit);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
        square(program, -1, -1, 2, 0, bit & 1 ? 0.2f : 0, bit & 2 ? 0.2f : 0.05f, bit & 4 ? 0.2f : 0, 1);
    }
}

static void polygon_offset(void)
{
    static const char vertex[] = "uniform float scale;\n"
                                 "void main() {\n"
                                 "    vec2 at = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * scale;\n"
                                 "    gl_Position = vec4(at, at.x * 0.7 + at.y * 0.2, 1.0);\n"
                                 "}\n";
    GLuint program = gl_use(vertex, square_fragment);
    static const float offsets[4][2] = {{0, 0}, {-1, -1}, {0, 4}, {-2, 0}};
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_POLYGON_OFFSET_FILL);
    for (int i = 0; i < 4; i++) {
        glPolygonOffset(offsets[i][0], offsets[i][1]);
        gl_uniform(program, "scale", 1, (const float[1]){0.95f - (float)i * 0.2f}, 1);
        gl_uniform(program, "color", 4, (const float[4]){(float)i / 3, 0.5f, 1 - (float)i / 3, 1}, 1);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}

static void scissor(void)
{
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nvoid main() { result = vec4(at, 1.0 - at.x, 1.0); }\n");
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 5; i++) {
        glScissor(i * 50 + 3, 250 - i * 53, 41 + i, 200 - i * 31);
        glViewport(i * 20, 0, GL_SIZE, GL_SIZE - i * 10);
        gl_fill();
    }
    glClearColor(1, 1, 0, 1);
    glScissor(100, 100, 37, 11);
    glClear(GL_COLOR_BUFFER_BIT);
}

/* `format` with `samples` samples, resolved into the target. */
static void draw_resolved(GLenum format, int samples)
{
    GLuint buffers[2], frame;
    glGenRenderbuffers(2, buffers);
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, GL_SIZE, GL_SIZE);
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH24_STENCIL8, GL_SIZE, GL_SIZE);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    draw_crossing();
    glDisable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, frame);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, gl_target);
    glBlitFramebuffer(0, 0, GL_SIZE, GL_SIZE, 0, 0, GL_SIZE, GL_SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, gl_target);
}

static void samples_4(void)
{
    draw_resolved(GL_RGBA8, 4);
}

/* A frame buffer of one texture. */
static GLuint texture_target(GLenum format, int size)
{
    GLuint texture, frame;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, size, size);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glViewport(0, 0, size, size);
    return texture;
}

static void float_targets(void)
{
    static const GLenum all[4] = {GL_RGBA16F, GL_RGBA32F, GL_R11F_G11F_B10F, GL_RGB10_A2};
    for (int i = 0; i < 4; i++) {
        texture_target(all[i], 128);
        gl_use(NULL,
               "in vec2 at;\nout vec4 result;\nvoid main() { result = vec4(at * 2.0, at.x * at.y * 4.0, 1.0); }\n");
        gl_fill();
        glBindFramebuffer(GL_FRAMEBUFFER, gl_target);
        glViewport(i % 2 * 128, i / 2 * 128, 128, 128);
        gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\nvoid main() { result = texture(image, "
                     "at) * 0.5; }\n");
        gl_fill();
    }
}

static void srgb_target(void)
{
    texture_target(GL_SRGB8_ALPHA8, 256);
    glEnable(GL_FRAMEBUFFER_SRGB);
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nvoid main() { result = vec4(at, at.x * at.y, 0.6); }\n");
    gl_fill();
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    GLuint program = gl_use(square_vertex, square_fragment);
    square(program, -0.5f, -0.5f, 1, 0, 0.5f, 0.2f, 0.1f, 0.5f);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glDisable(GL_BLEND);
    /* The bytes as they are. */
    GLuint frame;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, (GLint *)&frame);
    static GLubyte bytes[256 * 256 * 4];
    glReadPixels(0, 0, 256, 256, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    GLuint copy;
    glGenTextures(1, &copy);
    glBindTexture(GL_TEXTURE_2D, copy);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, 256, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, gl_target);
    gl_use(NULL,
           "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\nvoid main() { result = texture(image, at); }\n");
    gl_fill();
}

static void many_targets(void)
{
    static const GLenum buffers[3] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2};
    GLuint textures[3], frame;
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glGenTextures(3, textures);
    for (unsigned i = 0; i < 3; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(GL_TEXTURE_2D, textures[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, i == 1 ? GL_RGBA16F : i == 2 ? GL_R8 : GL_RGBA8, 256, 256);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glFramebufferTexture2D(GL_FRAMEBUFFER, buffers[i], GL_TEXTURE_2D, textures[i], 0);
    }
    glDrawBuffers(3, buffers);
    gl_use(NULL, "in vec2 at;\nlayout(location = 0) out vec4 first;\nlayout(location = 1) out vec4 second;\n"
                 "layout(location = 2) out vec4 third;\n"
                 "void main() { first = vec4(at, 0.0, 1.0); second = vec4(at.y, 0.5, at.x, 1.0); third = "
                 "vec4(fract(at.x * 5.0)); }\n");
    gl_fill();
    glBindFramebuffer(GL_FRAMEBUFFER, gl_target);
    GLuint program =
        gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform sampler2D first, second, third;\n"
                     "void main() { result = mix(texture(first, at), texture(second, at), texture(third, at).x); }\n");
    glUniform1i(glGetUniformLocation(program, "second"), 1);
    glUniform1i(glGetUniformLocation(program, "third"), 2);
    gl_fill();
}

/* Copies by the driver: scaled, mirrored, into a texture, through a buffer. */
static void copies(void)
{
    gl_use(NULL,
           "in vec2 at;\nout vec4 result;\nvoid main() { result = vec4(at, 0.5 + 0.5 * sin(at.x * 30.0), 1.0); }\n");
    gl_fill();
    GLuint from = gl_target, frame, texture = texture_target(GL_RGBA8, 128);
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, (GLint *)&frame);
    glClearColor(0, 0, 0, 0); /* a new texture has whatever its memory had */
    glClear(GL_COLOR_BUFFER_BIT);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBlitFramebuffer(10, 0, 250, 240, 0, 0, 80, 80, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, frame);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, gl_target);
    glBlitFramebuffer(0, 0, 80, 80, 240, 120, 160, 200, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, gl_target);
    glBindTexture(GL_TEXTURE_2D, texture);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 20, 30, 100, 100, 64, 64);
    GLuint pack;
    glGenBuffers(1, &pack);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, pack);
    glBufferData(GL_PIXEL_PACK_BUFFER, 50 * 50 * 4, NULL, GL_STREAM_READ);
    glReadPixels(60, 70, 50, 50, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, pack);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 70, 5, 50, 50, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glViewport(0, 0, 128, 128);
    gl_use(NULL,
           "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\nvoid main() { result = texture(image, at); }\n");
    gl_fill();
}

/* Large enough for compression of colours; cleared by the driver's shortest way, drawn into, read by a shader. */
static void large_target(void)
{
    GLuint texture = texture_target(GL_RGBA8, 1024);
    glClearColor(0.2f, 0.4f, 0.1f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    draw_crossing();
    glBindFramebuffer(GL_FRAMEBUFFER, gl_target);
    glBindTexture(GL_TEXTURE_2D, texture);
    glViewport(0, 0, GL_SIZE, GL_SIZE);
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\nvoid main() { result = texelFetch(image, "
                 "ivec2(at * 1023.0), 0); }\n");
    gl_fill();
}

const struct gl_scene gl_target_scenes[] = {
    {"blending", blending, true},
    {"color_mask", color_mask, true},
    {"logic_op", logic_op, false},
    {"depth_test", depth_test, true},
    {"depth_texture", depth_texture, true},
    {"depth_functions", depth_functions, true},
    {"shader_depth", shader_depth, true},
    {"stencil", stencil, true},
    {"polygon_offset", polygon_offset, true},
    {"scissor", scissor, true},
    {"samples_4", samples_4, true},
    {"float_targets", float_targets, true},
    {"srgb_target", srgb_target, false},
    {"many_targets", many_targets, true},
    {"copies", copies, true},
    {"large_target", large_target, true},
    {0},
};
