#version 450
layout(location = 0) in vec4 smooth_in;
layout(location = 0, index = 0) out vec4 first;
layout(location = 0, index = 1) out vec4 second;
void main()
{
    first = vec4(gl_FragCoord.xyz, gl_FrontFacing ? 1.0 : 0.0);
    second = vec4(gl_SampleID);
    gl_FragDepth = smooth_in.x;
}
