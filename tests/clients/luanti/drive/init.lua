-- Of the box drive_box ("x0 y0 z0 x1 y1 z1"; of a map of terrane's y counts from the chunk of its spawn, once that is known): the topmost nodes
-- of ground and of water of all columns, the names of the topmost ones, and the light over them, in drive.json of the map.
local box = {}
for each in minetest.settings:get("drive_box"):gmatch("%-?%d+") do
	box[#box + 1] = tonumber(each)
end
local terrane = rawget(_G, "terrane")
local patient = terrane and minetest.settings:get_bool("drive_whole", true) -- or as it is once something is wrong
local told = {blocks = (box[4] - box[1] + 1) * (box[5] - box[2] + 1) * (box[6] - box[3] + 1) / 4096}

-- Players at drive_players ("x z x z ..."), who stand still and whom only the mod sees, for drive_stay_s behind all else.
local stay_s = tonumber(minetest.settings:get("drive_stay_s")) or 0
local players = {}
for x, z in (minetest.settings:get("drive_players") or ""):gmatch("(%S+) (%S+)") do
	players[#players + 1] = {
		get_pos = function() return vector.new(tonumber(x), 0, tonumber(z)) end,
		get_velocity = function() return vector.new(0, 0, 0) end,
		get_meta = function() return {get_int = function() return 0 end} end,
	}
end
local connected = minetest.get_connected_players
function minetest.get_connected_players()
	return #players > 0 and debug.getinfo(2, "S").source:find("/terrane/") and players or connected()
end

local function column(at, data, light, stride, height)
	local wet, over, fell = nil, 0, false
	for y = height - 1, 0, -1 do
		local name = minetest.get_name_from_content_id(data[at + y * stride])
		if name == "ignore" or name == "terrane:waiting" then
			told.unmade = told.unmade + 1
		elseif name == "air" then
			over = fell and over or light[at + y * stride] % 16
		elseif minetest.registered_nodes[name].liquidtype == "flowing" then
			fell = true -- water that runs over a step: it is less light under it
		elseif minetest.registered_nodes[name].liquidtype == "source" then
			wet = wet or y
		elseif minetest.registered_nodes[name].liquidtype == "none" then
			return y, wet, name, over
		end
	end
	return -1, wet, "", over
end

local function look(p0, p1)
	local vm = VoxelManip(p0, p1)
	local area = VoxelArea:new({MinEdge = p0, MaxEdge = p1})
	local data, light = vm:get_data(), vm:get_light_data()
	told.low, told.unmade, told.top, told.wet, told.name, told.light = p0.y, 0, {}, {}, {}, {}
	for z = p1.z, p0.z, -1 do
		for x = p0.x, p1.x do
			local top, wet, name, over = column(area:index(x, p0.y, z), data, light, area.ystride, p1.y - p0.y + 1)
			local k = #told.top + 1
			told.top[k], told.wet[k], told.name[k], told.light[k] = p0.y + top, p0.y + (wet or top), name, over
		end
	end
end

local function finish(p0, p1)
	local state = terrane and terrane.state()
	if state and (patient and state.waiting > 0 or not patient and not state.fault) then
		return minetest.after(0.1, finish, p0, p1)
	end
	if stay_s > 0 then
		stay_s = stay_s - 0.1
		return minetest.after(0.1, finish, p0, p1)
	end
	told.whole_s = (minetest.get_us_time() - told.from_us) / 1e6
	minetest.emerge_area(p0, p1, function(_, _, left) -- behind all that was asked for meanwhile
		if left == 0 then
			if minetest.settings:get_bool("drive_look", true) then
				look(p0, p1)
			end
			told.state = terrane and terrane.state()
			minetest.safe_file_write(minetest.get_worldpath() .. "/drive.json", minetest.write_json(told))
			minetest.request_shutdown()
		end
	end)
end

local function emerge()
	local base = 0
	if patient then
		local spawn = terrane.state().spawn
		if not spawn then
			return minetest.after(0.1, emerge)
		end
		base = 80 * math.floor((spawn.y + 32) / 80)
	end
	local p0, p1 = vector.new(box[1], base + box[2], box[3]), vector.new(box[4], base + box[5], box[6])
	told.from_us = minetest.get_us_time()
	minetest.emerge_area(p0, p1, function(_, _, left)
		if left == 0 then
			finish(p0, p1)
		end
	end)
end
minetest.after(0, emerge)
