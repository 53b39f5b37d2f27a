#version 450
layout(location = 0) in vec4 color;
layout(location = 1) flat in vec4 flat_color;
layout(location = 2) noperspective in vec4 linear_color;
layout(location = 0) out vec4 out_color;
layout(constant_id = 0) const int what = 0;
void main()
{
    switch (what) {
    case 0:
        out_color = color;
        break;
    case 1:
        out_color = flat_color;
        break;
    case 2:
        out_color = linear_color;
        break;
    case 3: /* where the pixel is */
        out_color = vec4(floor(gl_FragCoord.xy) / 255.0, gl_FragCoord.z, gl_FragCoord.w);
        break;
    case 4: /* a chessboard of holes */
        if (((int(gl_FragCoord.x) ^ int(gl_FragCoord.y)) & 1) != 0)
            discard;
        out_color = color;
        break;
    case 5:
        out_color = gl_FrontFacing ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
        break;
    case 6:
        out_color = vec4(gl_PointCoord, 0, 1);
        break;
    case 7: /* the change of a coordinate from pixel to pixel */
        out_color = vec4(dFdx(gl_FragCoord.x), dFdy(gl_FragCoord.y), fwidth(gl_FragCoord.x * 0.25), 1);
        break;
    case 8: /* each sample has a shade of its own */
        out_color = vec4(float(gl_SampleID) / 3.0, 0, 0, 1);
        break;
    }
}
