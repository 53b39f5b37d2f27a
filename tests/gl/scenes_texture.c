/* Textures of every shape: filters, levels, wraps, formats, and what shaders can ask of them. */
#include "gl.h"

#include <string.h>

#define SHOW "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\nvoid main() { result = texture(image, at); }\n"

static void nearest(void)
{
    gl_use(NULL, SHOW);
    gl_texture(32, gl_checkers);
    gl_fill();
}

static void linear(void)
{
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\n"
                 "void main() { result = texture(image, at * 2.5 - 0.7); }\n");
    gl_texture(16, gl_gradient);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_MIRRORED_REPEAT);
    gl_fill();
}

/* Levels that the shader chooses, of a chain that the driver made. */
static void levels(void)
{
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\n"
                 "void main() { result = textureLod(image, fract(at * 4.0), floor(at.y * 4.0) + at.x * 2.0); }\n");
    gl_texture(64, gl_checkers);
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl_fill();
}

/* Levels that derivatives choose: each has a colour of its own, and squares so large that most pixels are between no
 * two. */
static void minified(void)
{
    GLuint texture;
    static GLubyte pixels[64 * 64 * 4];
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\n"
                 "void main() { vec2 cell = floor(at * 4.0); result = texture(image, at * exp2(cell.x * 1.5 + cell.y * "
                 "0.3 + 1.13)); }\n");
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    for (int level = 0; level < 7; level++) {
        for (int i = 0; i < 64 * 64; i++) {
            const GLubyte color[4] = {(GLubyte)(level * 40), (GLubyte)(255 - level * 30), (GLubyte)(level % 2 * 200),
                                      255};
            memcpy(pixels + i * 4, color, 4);
        }
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, 64 >> level, 64 >> level, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    gl_fill();
}

static void cube(void)
{
    GLuint texture;
    static GLubyte pixels[16 * 16 * 4];
    gl_use(
        NULL,
        "in vec2 at;\nout vec4 result;\nuniform samplerCube image;\n"
        "void main() {\n"
        "    vec2 angle = (at - 0.5) * vec2(6.2, 3.1);\n"
        "    result = texture(image, vec3(cos(angle.x) * cos(angle.y), sin(angle.y), sin(angle.x) * cos(angle.y)));\n"
        "}\n");
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
    for (int face = 0; face < 6; face++) {
        for (int i = 0; i < 16 * 16; i++) {
            const GLubyte color[4] = {(GLubyte)(face * 40 + i % 16 * 3), (GLubyte)(i / 16 * 15),
                                      (GLubyte)(face % 2 * 255), 255};
            memcpy(pixels + i * 4, color, 4);
        }
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     pixels);
    }
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl_fill();
}

static void fill_slices(GLenum target, int slices)
{
    static GLubyte pixels[16 * 16 * 4];
    for (int slice = 0; slice < slices; slice++) {
        for (int i = 0; i < 16 * 16; i++) {
            const GLubyte color[4] = {(GLubyte)(slice * 30), (GLubyte)(i % 16 * 15), (GLubyte)(i / 16 * 15), 255};
            memcpy(pixels + i * 4, color, 4);
        }
        glTexSubImage3D(target, 0, 0, 0, slice, 16, 16, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    }
}

static void volume(void)
{
    GLuint texture;
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform sampler3D image;\n"
                 "void main() { result = texture(image, vec3(at, at.x * 0.6 + at.y * 0.4)); }\n");
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_3D, texture);
    glTexStorage3D(GL_TEXTURE_3D, 1, GL_RGBA8, 16, 16, 8);
    fill_slices(GL_TEXTURE_3D, 8);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl_fill();
}

static void layers(void)
{
    GLuint texture;
    gl_use(NULL,
           "in vec2 at;\nout vec4 result;\nuniform sampler2DArray image;\n"
           "void main() { result = texture(image, vec3(fract(at * 3.0), floor(at.x * 3.0) + floor(at.y * 3.0))); }\n");
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, 16, 16, 5);
    fill_slices(GL_TEXTURE_2D_ARRAY, 5);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl_fill();
}

static void shadow(void)
{
    static GLfloat depths[16 * 16];
    GLuint texture;
    for (int i = 0; i < 16 * 16; i++)
        depths[i] = (float)(i % 16 * 7 % 16) / 16 * 0.5f + (float)(i / 16) / 40;
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform sampler2DShadow image;\n"
                 "void main() { result = vec4(texture(image, vec3(at, 0.31)), texture(image, vec3(at.yx, 0.47)), at.x, "
                 "1.0); }\n");
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT32F, 16, 16, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    gl_fill();
}

/* Sizes, single texels, gathers, offsets; unsigned integers. */
static void queries(void)
{
    static GLuint numbers[8 * 8];
    GLuint texture, program;
    for (GLuint i = 0; i < 64; i++)
        numbers[i] = i * 4000000;
    program =
        gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\nuniform usampler2D numbers;\n"
                     "void main() {\n"
                     "    ivec2 size = textureSize(image, 0);\n"
                     "    vec4 texel = texelFetch(image, ivec2(at * vec2(size)), 0);\n"
                     "    vec4 four = textureGather(image, at, 1);\n"
                     "    vec4 beside = textureOffset(image, at, ivec2(3, -2));\n"
                     "    uint number = texelFetch(numbers, ivec2(at * 8.0), 0).x;\n"
                     "    vec4 half_known = vec4(float(number >> 20u) / 256.0, float(size.x) / 64.0, 0.0, 1.0);\n"
                     "    result = at.x < 0.5 ? (at.y < 0.5 ? texel : four) : (at.y < 0.5 ? beside : half_known);\n"
                     "}\n");
    gl_texture(32, gl_checkers);
    glActiveTexture(GL_TEXTURE1);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32UI, 8, 8, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, numbers);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glUniform1i(glGetUniformLocation(program, "numbers"), 1);
    gl_fill();
}

static void srgb_texture(void)
{
    static GLubyte pixels[256 * 4];
    GLuint texture;
    for (int i = 0; i < 256; i++) {
        const GLubyte color[4] = {(GLubyte)i, (GLubyte)(255 - i), (GLubyte)(i * 7), 255};
        memcpy(pixels + i * 4, color, 4);
    }
    gl_use(NULL, SHOW);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, 256, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl_fill();
}

/* One quarter each of formats that are not of whole bytes, of floats, of swizzled channels. */
static void formats(void)
{
    static const struct {
        GLenum internal, format, type;
    } all[4] = {{GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5},
                {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV},
                {GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV},
                {GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1}};
    static GLuint words[32 * 32];
    gl_use(NULL, SHOW);
    for (int i = 0; i < 4; i++) {
        GLuint texture;
        for (GLuint k = 0; k < 32 * 32; k++)
            words[k] = i == 2 ? 0x1e03c00u | k << 5 : k * 4194301u;
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexImage2D(GL_TEXTURE_2D, 0, (GLint)all[i].internal, 32, 32, 0, all[i].format, all[i].type, words);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        if (i == 1)
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_BLUE);
        glViewport(i % 2 * GL_SIZE / 2, i / 2 * GL_SIZE / 2, GL_SIZE / 2, GL_SIZE / 2);
        gl_fill();
    }
}

static void compressed(void)
{
    GLubyte blocks[16][8];
    for (int i = 0; i < 16; i++) {
        const GLubyte block[8] = {(GLubyte)(i * 16),
                                  (GLubyte)(0xf0 - i),
                                  (GLubyte)(i * 3),
                                  (GLubyte)(i * 5),
                                  0x1b,
                                  0xe4,
                                  (GLubyte)(i * 17),
                                  0x93};
        memcpy(blocks[i], block, sizeof(block));
    }
    GLuint texture;
    gl_use(NULL, SHOW);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, 16, 16, 0, sizeof(blocks), blocks);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl_fill();
}

static void border(void)
{
    static const float color[4] = {0.9f, 0.4f, 0.1f, 1};
    gl_use(NULL, "in vec2 at;\nout vec4 result;\nuniform sampler2D image;\n"
                 "void main() { result = texture(image, at * 1.6 - 0.3); }\n");
    gl_texture(32, gl_checkers);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, color);
    gl_fill();
}

const struct gl_scene gl_texture_scenes[] = {
    {"nearest", nearest, true}, {"linear", linear, true},
    {"levels", levels, true},   {"minified", minified, true},
    {"cube", cube, true},       {"volume", volume, true},
    {"layers", layers, true},   {"shadow", shadow, true},
    {"queries", queries, true}, {"srgb_texture", srgb_texture, true},
    {"formats", formats, true}, {"compressed", compressed, false},
    {"border", border, true},   {0},
};
