# For the test: streams around places, one after the other, and writes what is shown then: godot3-server --path DIR -s drive.gd
extends SceneTree

const Terrain = preload("res://addons/terrane/godot3/terrain.gd")

var terrain
var eye
var stops = []
var stop = null
var out = []
var trouble = 0
var covered = false # once it is, it stays so
var holes = 0


func _init():
	Engine.target_fps = 100
	var given = parse_json(OS.get_environment("DRIVE"))
	eye = Spatial.new()
	eye.name = "eye"
	get_root().add_child(eye)
	terrain = Terrain.new()
	for name in given["set"].keys():
		terrain.set(name, given["set"][name])
	var at = given["at"]
	terrain.origin = Vector2(at[0], at[1])
	terrain.follow = NodePath("../eye")
	terrain.connect("trouble", self, "_on_trouble")
	get_root().add_child(terrain)
	stops = given["stops"]


func _on_trouble(text):
	trouble += 1
	print("trouble: ", text)


func _go():
	stop = stops.pop_front()
	if stop == null:
		var file = File.new()
		file.open("res://drive.json", File.WRITE)
		file.store_string(JSON.print(out))
		file.close()
		quit()
		return
	eye.translation = Vector3(stop["x"], stop["y"], stop["z"])
	terrain.stream.replan(eye.translation)
	covered = false
	holes = 0


func _idle(_passed):
	if terrain.stream.world == null:
		return false
	if stop == null:
		_go()
	elif terrain.stream.flying.size() > 0 and stop.has("hurry"):
		_go()
	else:
		if Engine.get_idle_frames() % 16 == 0:
			var now = _holes()
			covered = covered or now == 0
			holes += now if covered else 0
		if terrain.is_whole():
			_tell()
			_go()
	return false


# Of a grid over what is near, the places over which other than one tile is visible.
func _holes():
	var visible = []
	for key in terrain.stream.nodes.keys():
		if terrain.stream.nodes[key].visible:
			var tile = terrain.stream.tiles.tiles[key]
			visible.append([terrain.stream.tiles.side_m(tile["lod"]), tile["x"], tile["y"]])
	var count = 0
	for k in range(81):
		var x = terrain.stream.place_x + eye.translation.x + (k % 9 - 4) * 0.15 * terrain.reach_m
		var y = terrain.stream.place_y + eye.translation.z + (int(k / 9) - 4) * 0.15 * terrain.reach_m
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
				for each in [ArrayMesh.ARRAY_VERTEX, ArrayMesh.ARRAY_NORMAL, ArrayMesh.ARRAY_COLOR, ArrayMesh.ARRAY_INDEX]:
					surfaces[-1].append(Marshalls.raw_to_base64(var2bytes(arrays[each])) if arrays[each] != null else null)
			told["tiles"].append({"key": key, "skirt": terrain.stream.tiles.tiles[key]["skirt"], "at": [node.translation.x, node.translation.z], "surfaces": surfaces})
	var space = get_root().world.direct_space_state
	for k in range(200):
		var x = eye.translation.x + fmod(k * 37.31, 200.0) - 100.0
		var z = eye.translation.z + fmod(k * 53.77, 200.0) - 100.0
		var hit = space.intersect_ray(Vector3(x, 9000, z), Vector3(x, -9000, z))
		told["rays"].append([x, z, hit["position"].y if hit else null, terrain.height_at(x, z)])
