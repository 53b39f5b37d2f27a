#version 450
// What draws of many objects have in common: a matrix of the scene, a place of the object.
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
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 normal_in;
layout(location = 0) out vec4 normal;
layout(location = 1) out vec4 seen;
void main()
{
    vec4 at = position + object.place + vec4(0.0, 0.0, 0.0, variant < 0 ? 1.0 : 0.0);
    gl_Position = scene.transform * at;
    normal = normal_in;
    seen = at * (1.0 + float(variant) * 1e-6);
}
