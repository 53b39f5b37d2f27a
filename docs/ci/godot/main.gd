extends Node3D
func _ready():
    for i in 5:
        await RenderingServer.frame_post_draw
    print(RenderingServer.get_video_adapter_name())
    get_viewport().get_texture().get_image().save_png("picture.png")
    get_tree().quit()
