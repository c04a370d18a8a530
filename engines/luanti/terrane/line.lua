-- Requests to the server, one fault for all of them: while it lasts, only one request tries, at growing intervals.
return function(http, settings)
	local line = {fault = nil, retry_us = 0}
	local open, pause_s = {}, 0
	local headers = {"Content-Type: application/json"}
	if settings.key then
		headers[2] = "Authorization: Bearer " .. settings.key
	end

	function line.may_ask()
		return not line.fault or (#open == 0 and minetest.get_us_time() >= line.retry_us)
	end

	-- take(data) of an answer returns what is wrong with it, or nil; done() is called in any case.
	function line.ask(path, body, take, done)
		local request = {url = settings.url .. path, timeout = 30, extra_headers = headers, method = body and "POST" or "GET", data = body}
		open[#open + 1] = {handle = http.fetch_async(request), take = take, done = done or function() end}
	end

	function line.is_open()
		return #open > 0
	end

	-- For players.
	function line.message()
		return "The ground is not here yet: " .. line.fault .. ". It comes as soon as the server of the world answers."
	end

	function line.wrong(text)
		if minetest.get_us_time() >= line.retry_us then -- of requests that fail together the first counts
			pause_s = math.min(math.max(2 * pause_s, 1), 30)
			line.retry_us = minetest.get_us_time() + 1e6 * pause_s
		end
		if line.fault ~= text then
			line.fault = text
			minetest.log("warning", "[terrane] " .. settings.url .. ": " .. text .. ". Nothing is made until it answers")
			minetest.chat_send_all(line.message())
		end
	end

	local function right()
		if line.fault then
			line.fault, pause_s, line.retry_us = nil, 0, 0
			minetest.log("action", "[terrane] " .. settings.url .. " answers again")
			minetest.chat_send_all("The server of the world answers again.")
		end
	end

	local function why(result)
		if result.code == 0 then
			return result.timeout and "no answer in time" or "no answer"
		end
		local problem = minetest.parse_json(result.data or "")
		return result.code .. " " .. (type(problem) == "table" and tostring(problem.detail or problem.title or "") or "")
	end

	-- Takes what has come. Called at every step, and in between by who waits.
	function line.poll()
		local still = {}
		local were = open
		open = still
		for _, each in ipairs(were) do
			local result = http.fetch_async_get(each.handle)
			if not result.completed then
				still[#still + 1] = each
			else
				local fault
				if result.succeeded and result.code == 200 then
					fault = each.take(result.data)
				else
					fault = why(result)
				end
				each.done()
				if fault then
					line.wrong(fault)
				else
					right()
				end
			end
		end
	end

	return line
end
