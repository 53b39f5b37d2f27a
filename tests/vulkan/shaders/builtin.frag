#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 out_color;
layout(constant_id = 0) const int what = 0;
void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    bool odd = ((at.x ^ at.y) & 1) != 0;
    switch (what) {
    case 0: out_color = gl_FragCoord; break;
    case 1: out_color = gl_FrontFacing ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1); break;
    case 2: out_color = vec4(gl_PointCoord, 0, 1); break;
    case 3:
        if (odd)
            discard;
        out_color = color;
        break;
    case 4: /* derivatives survive where the invocation is demoted */
        if (odd)
            demote;
        out_color = vec4(dFdx(color.x), dFdy(color.y), helperInvocationEXT() ? 1 : 0, 1);
        break;
    case 5: out_color = vec4(dFdxFine(color.x), dFdyFine(color.y), dFdxCoarse(color.x), dFdyCoarse(color.y)); break;
    case 6: out_color = vec4(fwidth(color.x), fwidth(color.y), 0, 1); break;
    case 7: /* divergence among pixels of a quad */
        out_color = color;
        for (int i = 0; i < (at.x & 7); i++)
            out_color.z += 0.125;
        break;
    }
}
