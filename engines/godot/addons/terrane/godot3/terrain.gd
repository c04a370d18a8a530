# Ground of a terrane server around a node: meshes, water, and shapes to stand on. Godot 3; godot4/terrain.gd is the same for 4.
# One unit is a metre: x east, y up, z south. (0, 0) of the scene is the place `origin` of the world.
extends Spatial

signal world_known(world) # what /world says
signal trouble(text) # the server does not answer, or says no; it is asked again at growing intervals
signal tile_changed(key)

const Stream = preload("../stream.gd")

export(String) var url = "http://127.0.0.1:8080"
export(String) var world_name = "42" # a seed, or the name of a world
export(String) var recipe = ""
export(String) var key = "" # where the server wants one
export(NodePath) var follow
export(float) var reach_m = 8192.0
export(float) var detail = 1.5 # a tile nearer than its side times this is shown as its four finer ones
export(int, 0, 16) var finest = 0
export(int) var samples = 65 # to a side of a tile: 2^k + 1 up to 257
export(float) var collide_m = 300.0 # tiles of the finest level nearer than this have a shape
export(Vector2) var origin = Vector2(INF, INF) # metres; infinite: the world's spawn
export(Material) var ground_material
export(Material) var water_material

var stream = Stream.new()
var _thread = null


func _ready():
	stream.host = self
	stream.collide_m = collide_m
	stream.tiles.reach_m = reach_m
	stream.tiles.detail = detail
	stream.tiles.finest = int(finest)
	stream.tiles.samples = int(samples)
	if ground_material == null:
		ground_material = SpatialMaterial.new()
		ground_material.vertex_color_use_as_albedo = true
		ground_material.vertex_color_is_srgb = true
	if water_material == null:
		water_material = SpatialMaterial.new()
		water_material.albedo_color = Color(0.2, 0.4, 0.5, 0.75)
		water_material.flags_transparent = true
	stream.begin()
	_start()


func _start():
	_thread = Thread.new()
	_thread.start(self, "_work")


func _work(_nothing):
	stream.work()


# Again, since it has another parent.
func _enter_tree():
	if stream.host != null:
		stream.resume()
		_start()


func _exit_tree():
	stream.end()
	_thread.wait_to_finish()


func _process(passed):
	stream.step(passed, eye())


# ---- What stream.gd and meshes.gd ask of their host ------------------------------------------------------------------


# Where is looked from, of this node.
func eye():
	var node = get_node_or_null(follow) if follow != null and not follow.is_empty() else null
	return to_local(node.global_transform.origin) if node != null else Vector3()


func new_line():
	var line = HTTPRequest.new()
	line.download_chunk_size = 131072
	line.timeout = 60
	line.connect("request_completed", self, "_came", [line])
	add_child(line)
	return line


func drop_line(line):
	line.cancel_request()
	line.queue_free()


func send(line, path, body):
	var headers = ["Content-Type: application/json"]
	if key != "":
		headers.append("Authorization: Bearer " + key)
	return line.request(url + path, headers, true, HTTPClient.METHOD_GET if body == "" else HTTPClient.METHOD_POST, body) == OK


func _came(result, code, _headers, body, line):
	var wrong = ""
	if result != HTTPRequest.RESULT_SUCCESS:
		wrong = "no answer from " + url
	elif code != 200:
		wrong = "%d: %s" % [code, text(body)]
	stream.came(line, wrong, body)


func json(bytes):
	return parse_json(bytes.get_string_from_utf8())


func text(bytes):
	return bytes.get_string_from_utf8().left(300)


func escape(part):
	return part.percent_encode()


func floats(bytes):
	var count = int(bytes.size() / 4)
	var head = PoolByteArray([TYPE_REAL_ARRAY, 0, 0, 0, count & 255, (count >> 8) & 255, (count >> 16) & 255, count >> 24])
	return bytes2var(head + bytes)


func part(bytes, from, count):
	return bytes.subarray(from, from + count - 1)


func vectors(count):
	var out = PoolVector3Array()
	out.resize(count)
	return out


func colours(count):
	var out = PoolColorArray()
	out.resize(count)
	return out


func ints(count):
	var out = PoolIntArray()
	out.resize(count)
	return out


func colour(hex):
	return Color(str(hex).substr(1))


func new_node(made, indices):
	var node = MeshInstance.new()
	node.mesh = ArrayMesh.new()
	_surface(node.mesh, made["ground"][0], made["ground"][1], made["ground"][2], indices, ground_material)
	if made["water"] != null:
		_surface(node.mesh, made["water"][0], made["water"][1], null, made["water"][2], water_material)
	node.visible = false
	add_child(node)
	return node


func _surface(mesh, places, ups, painted, indices, material):
	var arrays = []
	arrays.resize(ArrayMesh.ARRAY_MAX)
	arrays[ArrayMesh.ARRAY_VERTEX] = places
	arrays[ArrayMesh.ARRAY_NORMAL] = ups
	arrays[ArrayMesh.ARRAY_COLOR] = painted
	arrays[ArrayMesh.ARRAY_INDEX] = indices
	mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays)
	mesh.surface_set_material(mesh.get_surface_count() - 1, material)


# A shape's samples are a unit apart around its middle, so it is stretched and moved.
func new_body(heights, side, spacing):
	var shape = HeightMapShape.new()
	shape.map_width = stream.tiles.samples
	shape.map_depth = stream.tiles.samples
	shape.map_data = heights
	var holder = CollisionShape.new()
	holder.shape = shape
	holder.scale = Vector3(spacing, 1, spacing)
	holder.translation = Vector3(side / 2, 0, side / 2)
	var body = StaticBody.new()
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
