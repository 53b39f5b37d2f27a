#version 450
/* A colour of its own for each of eight targets. */
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 out_0;
layout(location = 1) out vec4 out_1;
layout(location = 2) out vec4 out_2;
layout(location = 3) out vec4 out_3;
layout(location = 4) out vec4 out_4;
layout(location = 5) out vec4 out_5;
layout(location = 6) out vec4 out_6;
layout(location = 7) out vec4 out_7;
void main()
{
    out_0 = color;
    out_1 = color.yzwx;
    out_2 = color.zwxy;
    out_3 = color.wxyz;
    out_4 = color * 0.5;
    out_5 = 1 - color;
    out_6 = color.xxyy;
    out_7 = color.zzww;
}
