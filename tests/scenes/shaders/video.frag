#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;
#ifdef CONVERSION
layout(binding = 0) uniform sampler2D video; // Y'CbCr by the sampler
#else
layout(binding = 0) uniform sampler2D luma;
layout(binding = 1) uniform sampler2D blue;
layout(binding = 2) uniform sampler2D red;
#endif

vec3 video_color(vec2 at)
{
#ifdef CONVERSION
    return textureLod(video, at, 0.0).rgb;
#else // BT.709 in the narrow range
    float y = (textureLod(luma, at, 0.0).r * 255.0 - 16.0) / 219.0;
    float cb = (textureLod(blue, at, 0.0).r * 255.0 - 128.0) / 224.0, cr = (textureLod(red, at, 0.0).r * 255.0 - 128.0) / 224.0;
    return vec3(y + 1.5748 * cr, y - 0.187324 * cb - 0.468124 * cr, y + 1.8556 * cb);
#endif
}

void main()
{
    vec3 n = normalize(normal), v = normalize(vec3(0.6, 0.4, 5.0) - world);
    vec3 color = pow(clamp(video_color(vec2(uv.x, 1.0 - uv.y)), 0.0, 1.0), vec3(2.2));
    color *= 0.55 + 0.45 * pow(16.0 * uv.x * uv.y * (1.0 - uv.x) * (1.0 - uv.y), 0.25);
    color += lit(vec3(0.0), 0.35, n, v, normalize(vec3(-0.4, 0.7, 0.8)), vec3(0.6));
    color_out = vec4(color, 1.0);
}
