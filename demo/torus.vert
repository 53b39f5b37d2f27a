#version 460
// A torus knot, made from the vertex number alone: no vertex buffer. Two triangles for every patch of the tube.
layout(push_constant) uniform P { float turn; int around; int along; };
layout(location = 0) out vec3 normal;
layout(location = 1) out vec3 place;
layout(location = 2) out vec2 patch_at;

vec3 knot(float t)
{
    float r = 2.0 + cos(3.0 * t);
    return vec3(r * cos(2.0 * t), r * sin(2.0 * t), 1.3 * sin(3.0 * t));
}

void main()
{
    int quad = gl_VertexIndex / 6, corner = gl_VertexIndex % 6;
    ivec2 at = ivec2(quad % around, quad / around) + ivec2(corner == 1 || corner == 3 || corner == 4 ? 1 : 0, corner >= 2 && corner != 3 ? 1 : 0);
    float u = 6.2831853 * float(at.x) / float(around), t = 6.2831853 * float(at.y) / float(along);

    vec3 centre = knot(t), tangent = normalize(knot(t + 0.01) - knot(t - 0.01));
    vec3 side = normalize(cross(tangent, vec3(0.0, 0.0, 1.0))), up = cross(side, tangent);
    normal = cos(u) * side + sin(u) * up;
    place = centre + 0.45 * normal;
    patch_at = vec2(float(at.x), float(at.y));

    float c = cos(turn), s = sin(turn);
    mat3 turned = mat3(c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c) * mat3(1.0, 0.0, 0.0, 0.0, 0.8, 0.6, 0.0, -0.6, 0.8);
    normal = turned * normal;
    place = turned * place;
    float depth = place.z + 7.5;
    gl_Position = vec4(place.x * 1.7, -place.y * 1.7, (depth - 2.0) * 1.2, depth);
}
