#version 460

// A bicubic filter out of four bilinear samples.
layout(location = 0) in vec2 coordinate;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) uniform sampler2D image;

void main()
{
    vec2 size = vec2(textureSize(image, 0)), at = coordinate * size - 0.5, f = fract(at), base = at - f;
    vec2 w0 = f * (-0.5 + f * (1.0 - 0.5 * f)), w1 = 1.0 + f * f * (-2.5 + 1.5 * f), w2 = f * (0.5 + f * (2.0 - 1.5 * f)), w3 = f * f * (-0.5 + 0.5 * f);
    vec2 w12 = w1 + w2, t0 = (base - 0.5) / size, t3 = (base + 2.5) / size, t12 = (base + 0.5 + w2 / w12) / size;
    vec4 sum = texture(image, vec2(t12.x, t0.y)) * w12.x * w0.y + texture(image, vec2(t0.x, t12.y)) * w0.x * w12.y;
    sum += texture(image, t12) * w12.x * w12.y + texture(image, vec2(t3.x, t12.y)) * w3.x * w12.y + texture(image, vec2(t12.x, t3.y)) * w12.x * w3.y;
    colour = sum / (w12.x * w0.y + w0.x * w12.y + w12.x * w12.y + w3.x * w12.y + w12.x * w3.y);
}
