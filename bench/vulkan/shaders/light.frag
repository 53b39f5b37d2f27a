#version 450
// A small lit material: two dot products, a power, a distance.
layout(constant_id = 0) const int variant = 0;
layout(set = 0, binding = 0) uniform Scene
{
    mat4 transform;
    vec4 light;
}
scene;
layout(push_constant) uniform Object
{
    vec4 place;
}
object;
layout(location = 0) in vec4 normal;
layout(location = 1) in vec4 seen;
layout(location = 0) out vec4 target;
void main()
{
    vec3 n = normalize(normal.xyz), to_light = normalize(scene.light.xyz - seen.xyz);
    float diffuse = max(dot(n, to_light), 0.0);
    float shine = pow(max(dot(reflect(-to_light, n), vec3(0.0, 0.0, 1.0)), 0.0), 8.0 + float(variant));
    float falloff = 1.0 / (1.0 + distance(scene.light.xyz, seen.xyz) + abs(object.place.x));
    target = vec4((diffuse + shine) * falloff * vec3(0.9, 0.7, 0.5), 1.0);
}
