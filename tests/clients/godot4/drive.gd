# For the test, in Godot 4: what ../godot/drive.gd does in 3. The page that it runs in says where to go, and is told.
extends Node3D

const Terrain = preload("res://addons/terrane/godot4/terrain.gd")

var terrain
var eye = Node3D.new()
var page = JavaScriptBridge.get_interface("window")
var stops = []
var stop = null
var out = []
var trouble = 0
var covered = false # once it is, it stays so
var holes = 0
var settling = 0 # frames of the physics, until what was added last is hit


func _ready():
	var given = JSON.parse_string(page.drive)
	eye.name = "eye"
	add_child(eye)
	terrain = Terrain.new()
	for name in given["set"].keys():
		terrain.set(name, given["set"][name])
	terrain.origin = Vector2(given["at"][0], given["at"][1])
	terrain.follow = NodePath("../eye")
	terrain.trouble.connect(_on_trouble)
	add_child(terrain)
	stops = given["stops"]


func _on_trouble(text):
	trouble += 1
	print("trouble: ", text)


func _go():
	stop = stops.pop_front()
	if stop == null:
		set_process(false)
		page.told = JSON.stringify(out)
		print("done")
		return
	eye.position = Vector3(stop["x"], stop["y"], stop["z"])
	terrain.stream.replan(eye.position)
	covered = false
	holes = 0
	settling = 0


func _physics_process(_passed):
	settling += 1


func _process(_passed):
	if terrain.stream.world == null:
		return
	if stop == null:
		_go()
	elif terrain.stream.flying.size() > 0 and stop.has("hurry"):
		_go()
	else:
		if Engine.get_process_frames() % 16 == 0:
			var now = _holes()
			covered = covered or now == 0
			holes += now if covered else 0
		if not terrain.is_whole():
			settling = 0
		elif settling > 3:
			_tell()
			_go()


# Of a grid over what is near, the places over which other than one tile is visible.
func _holes():
	var visible = []
	for key in terrain.stream.nodes.keys():
		if terrain.stream.nodes[key].visible:
			var tile = terrain.stream.tiles.tiles[key]
			visible.append([terrain.stream.tiles.side_m(tile["lod"]), tile["x"], tile["y"]])
	var count = 0
	for k in range(81):
		var x = terrain.stream.place_x + eye.position.x + (k % 9 - 4) * 0.15 * terrain.reach_m
		var y = terrain.stream.place_y + eye.position.z + (int(k / 9.0) - 4) * 0.15 * terrain.reach_m
		var over = 0
		for each in visible:
			over += int(floor(x / each[0]) == each[1] and floor(y / each[0]) == each[2])
		count += int(over != 1)
	return count


func _tell():
	var told = {"holes": holes, "cancelled": terrain.stream.tiles.cancelled, "trouble": trouble, "place": [terrain.stream.place_x, terrain.stream.place_y],
		"nodes": terrain.stream.nodes.size(), "tiles": [], "rays": [], "version": Engine.get_version_info()["string"]}
	out.append(told)
	for key in terrain.stream.nodes.keys():
		var node = terrain.stream.nodes[key]
		if node.visible:
			var surfaces = []
			for k in range(node.mesh.get_surface_count()):
				var arrays = node.mesh.surface_get_arrays(k)
				surfaces.append([])
				for each in [Mesh.ARRAY_VERTEX, Mesh.ARRAY_NORMAL, Mesh.ARRAY_COLOR, Mesh.ARRAY_INDEX]:
					surfaces[-1].append(Marshalls.raw_to_base64(var_to_bytes(arrays[each])) if arrays[each] != null else null)
			told["tiles"].append({"key": key, "skirt": terrain.stream.tiles.tiles[key]["skirt"], "at": [node.position.x, node.position.z], "surfaces": surfaces})
	var space = get_world_3d().direct_space_state
	for k in range(200):
		var x = eye.position.x + fmod(k * 37.31, 200.0) - 100.0
		var z = eye.position.z + fmod(k * 53.77, 200.0) - 100.0
		var hit = space.intersect_ray(PhysicsRayQueryParameters3D.create(Vector3(x, 9000, z), Vector3(x, -9000, z)))
		told["rays"].append([x, z, hit["position"].y if hit else null, terrain.height_at(x, z)])
