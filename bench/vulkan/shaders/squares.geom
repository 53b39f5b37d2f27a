#version 450
// A square for each point, turned by what its colour's fourth number says.
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(constant_id = 0) const int side = 0; // in 1/4096 of the picture
layout(location = 0) in vec4 color_in[];
layout(location = 0) out vec4 color;

void main()
{
    float angle = color_in[0].w * 6.2831853, reach = float(side) / 4096.0;
    vec2 along = vec2(cos(angle), sin(angle)) * reach, across = vec2(-along.y, along.x);
    vec4 at = gl_in[0].gl_Position;
    for (int i = 0; i < 4; i++) {
        gl_Position = vec4(at.xy + ((i & 1) == 0 ? -along : along) + ((i & 2) == 0 ? -across : across), at.zw);
        color = vec4(color_in[0].xyz, 1.0);
        EmitVertex();
    }
}
