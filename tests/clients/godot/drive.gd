# What course.gd does, in Godot 3: godot3-server --path DIR -s drive.gd
extends SceneTree

const Course = preload("res://course.gd")
const Terrain = preload("res://addons/terrane/godot3/terrain.gd")

var course = Course.new()


func _init():
	Engine.target_fps = 100
	course.host = self
	course.eye = Spatial.new()
	course.terrain = Terrain.new()
	course.terrain.connect("trouble", course, "on_trouble")
	course.begin(parse_json(OS.get_environment("DRIVE")))
	get_root().add_child(course.eye)
	get_root().add_child(course.terrain)


func _iteration(_passed):
	course.settling += 1
	return false


func _idle(_passed):
	course.step(Engine.get_idle_frames())
	return false


func deliver(told):
	var file = File.new()
	file.open("res://drive.json", File.WRITE)
	file.store_string(JSON.print(told))
	file.close()
	quit()


func bytes_of(array):
	return var2bytes(array)


func hit(from, to):
	return get_root().world.direct_space_state.intersect_ray(from, to)
