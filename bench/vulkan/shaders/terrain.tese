#version 450
// Waves that move the ground in its plane, for all to be seen from above, and in height.
layout(quads, equal_spacing, cw) in;
layout(location = 0) in vec4 color_in[];
layout(location = 0) out vec4 color;

vec4 between(vec4 a, vec4 b, vec4 c, vec4 d)
{
    return mix(mix(a, b, gl_TessCoord.x), mix(c, d, gl_TessCoord.x), gl_TessCoord.y);
}

void main()
{
    vec4 at = between(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_in[2].gl_Position, gl_in[3].gl_Position);
    vec2 wave = vec2(sin(at.x * 9.0 + at.y * 5.0), cos(at.y * 8.0 - at.x * 4.0));
    gl_Position = vec4(at.xy + wave.yx * 0.03, 0.5 + 0.1 * wave.x * wave.y, 1.0);
    color = between(color_in[0], color_in[1], color_in[2], color_in[3]) * vec4(vec3(0.75 + 0.25 * wave.x), 1.0);
}
