#version 460
#extension GL_ARB_shader_viewport_layer_array : require
layout(location = 0) in vec3 position;
layout(location = 1) in mat3 turn;
layout(location = 4) in dvec3 wide;
layout(location = 6, component = 1) in vec2 part;
layout(location = 7) in ivec4 whole;
layout(location = 0) out vec4 color;
layout(location = 1) flat out uvec2 flags;
layout(location = 2) out float list[3];
layout(location = 5) out Block { vec2 uv; mat2 turn; } block;
layout(location = 9) out vec4 never;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[5]; float gl_CullDistance[2]; };
void main()
{
    gl_Position = vec4(turn * position, 1.0) + vec4(wide, 0.0);
    gl_PointSize = part.x;
    for (int i = 0; i < 5; i++) gl_ClipDistance[i] = float(i) + part.y;
    gl_CullDistance[0] = 1.0; gl_CullDistance[1] = position.x;
    gl_Layer = gl_InstanceIndex;
    color = vec4(whole) + float(gl_VertexIndex + gl_BaseVertex + gl_BaseInstance + gl_DrawID);
    if (whole.x < 0) return;
    flags = uvec2(whole.yz);
    list[whole.w % 3] = 4.0;
    block.uv = part; block.turn = mat2(1.0);
}
