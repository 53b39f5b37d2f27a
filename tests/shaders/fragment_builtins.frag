#version 460
// draw 6 2 1 tolerance 0.001
// What a fragment knows of itself.
layout(location = 0) in vec4 place;
layout(location = 1) flat in uvec4 number;
layout(location = 0) out vec4 colour;
layout(depth_any) out float gl_FragDepth;
void main()
{
    float face = gl_FrontFacing ? 1.0 : 2.0;
    colour = vec4(gl_FragCoord.z + float(gl_PrimitiveID), 1.0 / gl_FragCoord.w, face + float(number.y) * 4.0 + float(gl_Layer) * 16.0 + float(gl_ViewportIndex) * 64.0, gl_FragCoord.x);
    gl_FragDepth = gl_FragCoord.y / 32.0;
}
