# Ground of a terrane server around a node: meshes, water, and shapes to stand on. Godot 4; godot3/terrain.gd is the same for 3.
# One unit is a metre: x east, y up, z south. (0, 0) of the scene is the place `origin` of the world.
extends Node3D

signal world_known(world) # what /world says
signal trouble(text) # the server does not answer, or says no; it is asked again at growing intervals
signal tile_changed(key)

const Stream = preload("../stream.gd")

@export var url = "http://127.0.0.1:8080"
@export var world_name = "42" # a seed, or the name of a world
@export var recipe = ""
@export var key = "" # where the server wants one
@export var follow: NodePath
@export var reach_m = 8192.0
@export var detail = 1.5 # a tile nearer than its side times this is shown as its four finer ones
@export_range(0, 16) var finest = 0
@export var samples = 65 # to a side of a tile: 2^k + 1 up to 257
@export var collide_m = 300.0 # tiles of the finest level nearer than this have a shape
@export var origin = Vector2(INF, INF) # metres; infinite: the world's spawn
@export var ground_material: Material
@export var water_material: Material

var stream = Stream.new()
var _thread = null # a web page has none, as it is usually exported


func _ready():
	stream.host = self
	stream.collide_m = collide_m
	stream.tiles.reach_m = reach_m
	stream.tiles.detail = detail
	stream.tiles.finest = int(finest)
	stream.tiles.samples = int(samples)
	if ground_material == null:
		ground_material = StandardMaterial3D.new()
		ground_material.vertex_color_use_as_albedo = true
		ground_material.vertex_color_is_srgb = true
	if water_material == null:
		water_material = StandardMaterial3D.new()
		water_material.albedo_color = Color(0.2, 0.4, 0.5, 0.75)
		water_material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	stream.begin()
	_start()


func _start():
	if OS.has_feature("threads") or not OS.has_feature("web"):
		_thread = Thread.new()
		_thread.start(_work)


func _work():
	stream.work()


# Again, since it has another parent.
func _enter_tree():
	if stream.host != null:
		stream.resume()
		_start()


func _exit_tree():
	stream.end()
	if _thread != null:
		_thread.wait_to_finish()


func _process(passed):
	if _thread == null:
		stream.work_once()
	stream.step(passed, eye())


# ---- What stream.gd and meshes.gd ask of their host ------------------------------------------------------------------


# Where is looked from, of this node.
func eye():
	var node = get_node_or_null(follow) if not follow.is_empty() else null
	return to_local(node.global_transform.origin) if node != null else Vector3()


func new_line():
	var line = HTTPRequest.new()
	line.download_chunk_size = 131072
	line.timeout = 60
	line.request_completed.connect(_came.bind(line))
	add_child(line)
	return line


func drop_line(line):
	line.cancel_request()
	line.queue_free()


func send(line, path, body):
	var headers = ["Content-Type: application/json"]
	if key != "":
		headers.append("Authorization: Bearer " + key)
	return line.request(url + path, headers, HTTPClient.METHOD_GET if body == "" else HTTPClient.METHOD_POST, body) == OK


func _came(result, code, _headers, body, line):
	var wrong = ""
	if result != HTTPRequest.RESULT_SUCCESS:
		wrong = "no answer from " + url
	elif code != 200:
		wrong = "%d: %s" % [code, text(body)]
	stream.came(line, wrong, body)


func json(bytes):
	return JSON.parse_string(bytes.get_string_from_utf8())


func text(bytes):
	return bytes.get_string_from_utf8().left(300)


func escape(part):
	return part.uri_encode()


func floats(bytes):
	return bytes.to_float32_array()


func part(bytes, from, count):
	return bytes.slice(from, from + count)


func vectors(count):
	var out = PackedVector3Array()
	out.resize(count)
	return out


func colours(count):
	var out = PackedColorArray()
	out.resize(count)
	return out


func ints(count):
	var out = PackedInt32Array()
	out.resize(count)
	return out


func colour(hex):
	return Color.html(str(hex))


func new_node(made, indices):
	var node = MeshInstance3D.new()
	node.mesh = ArrayMesh.new()
	_surface(node.mesh, made["ground"][0], made["ground"][1], made["ground"][2], indices, ground_material)
	if made["water"] != null:
		_surface(node.mesh, made["water"][0], made["water"][1], null, made["water"][2], water_material)
	node.visible = false
	add_child(node)
	return node


func _surface(mesh, places, ups, painted, indices, material):
	var arrays = []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = places
	arrays[Mesh.ARRAY_NORMAL] = ups
	arrays[Mesh.ARRAY_COLOR] = painted
	arrays[Mesh.ARRAY_INDEX] = indices
	mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays)
	mesh.surface_set_material(mesh.get_surface_count() - 1, material)


# A shape's samples are a unit apart around its middle, so it is stretched and moved.
func new_body(heights, side, spacing):
	var shape = HeightMapShape3D.new()
	shape.map_width = stream.tiles.samples
	shape.map_depth = stream.tiles.samples
	shape.map_data = heights
	var holder = CollisionShape3D.new()
	holder.shape = shape
	holder.scale = Vector3(spacing, 1, spacing)
	holder.position = Vector3(side / 2, 0, side / 2)
	var body = StaticBody3D.new()
	body.add_child(holder)
	return body


# ---- For others ------------------------------------------------------------------------------------------------------


# Whether all that is wanted is there.
func is_whole():
	return stream.is_whole()


# The ground's height at x, z of this node, as the finest mesh that is there has it; null where none is.
func height_at(x, z):
	return stream.tiles.height_at(stream.place_x + x, stream.place_y + z)


# Moves the scene's (0, 0) by some metres, as worlds want that are larger than 32-bit floats: whoever calls moves all else by the opposite.
func move_origin(east, south):
	stream.move_origin(east, south)
