# What course.gd does, in Godot 4. The page that it runs in says where to go, and is told.
extends Node3D

const Course = preload("res://course.gd")
const Terrain = preload("res://addons/terrane/godot4/terrain.gd")

var course = Course.new()
var page = JavaScriptBridge.get_interface("window")


func _ready():
	course.host = self
	course.eye = Node3D.new()
	course.terrain = Terrain.new()
	course.terrain.trouble.connect(course.on_trouble)
	course.begin(JSON.parse_string(page.drive))
	add_child(course.eye)
	add_child(course.terrain)


func _physics_process(_passed):
	course.settling += 1


func _process(_passed):
	course.step(Engine.get_process_frames())


func deliver(told):
	set_process(false)
	page.told = JSON.stringify(told)
	print("done")


func bytes_of(array):
	return var_to_bytes(array)


func hit(from, to):
	return get_world_3d().direct_space_state.intersect_ray(PhysicsRayQueryParameters3D.create(from, to))
