-- Players begin on the dry ground nearest to the map's centre, which is the world's own spawn unless minetest.conf says another.
local REACH = 100 -- nodes around the centre

return function(world, tiles, ground)
	local spawn = {}
	local place
	local MARK = "terrane:begins" -- of players who were not put there yet

	local function dry(columns)
		local best, nearest
		local width = 2 * REACH + 1
		for k = 1, width * width do
			local x, z = (k - 1) % width - REACH, math.floor((k - 1) / width) - REACH
			local wet = columns.wet[k] > columns.top[k] or columns.river[k]
			local d = x * x + z * z + (wet and 1e6 or 0)
			if not best or d < nearest then
				best, nearest = vector.new(x, columns.wet[k] + 1, z), d
			end
		end
		return best
	end

	local function find()
		local under = tiles.under(-REACH, REACH, -REACH, REACH)
		tiles.want(under)
		local columns = tiles.are_here(under) and ground.read(-REACH, REACH, -REACH, REACH)
		place = columns and dry(columns) or nil
	end

	-- Where players begin; nil while that is not known.
	function spawn.place()
		return place
	end

	local function put(player)
		player:set_pos(place)
		player:get_meta():set_string(MARK, "")
	end

	-- As soon as it is known where, even if that is after the player has left and come back.
	function spawn.begin(player)
		player:get_meta():set_int(MARK, 1)
		if place then
			put(player)
		end
	end

	function spawn.step()
		if not place and world.known then
			find()
		end
		for _, player in ipairs(place and minetest.get_connected_players() or {}) do
			if player:get_meta():get_int(MARK) == 1 then
				put(player)
			end
		end
	end

	return spawn
end
