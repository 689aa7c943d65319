"""A small weather server: forecasts from a table, alerts in a folder. No network.

    python server.py                # MCP over stdio
    python server.py --http 8000    # MCP over Streamable HTTP at http://127.0.0.1:8000/mcp

Alerts are files in the folder that WEATHER_ALERTS names (default: ./alerts).
"""

import argparse
import json
import os
from pathlib import Path
from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

CLIMATE = {  # city: (mean temperature in °C, what the sky usually does)
    "Bergen": (8.0, "rain"),
    "Lisbon": (17.5, "sun"),
    "Oslo": (6.5, "clouds"),
    "Seoul": (12.9, "sun"),
}

City = Annotated[str, Field(min_length=1, max_length=80, description="Name of a city.")]


class Cities(BaseModel):
    """The cities this server knows."""

    cities: list[str]


class Day(BaseModel):
    """One day of a forecast."""

    day: int = Field(ge=1, description="Days from now.")
    celsius: float
    sky: Literal["sun", "clouds", "rain"]


class Forecast(BaseModel):
    """A forecast for a city, nearest day first."""

    city: str
    days: list[Day]


class SavedAlert(BaseModel):
    """An alert as it was saved."""

    alert_id: str
    city: str
    level: Literal["yellow", "orange", "red"]


def build(alerts: Path) -> MCPServer:
    """The server; alerts are saved in the folder."""
    server = MCPServer("weather", version="1.0.0", log_level="WARNING")

    @server.tool(
        title="Known cities",
        annotations=ToolAnnotations(readOnlyHint=True, openWorldHint=False),
    )
    def list_cities() -> Cities:
        """The cities forecasts exist for."""
        return Cities(cities=sorted(CLIMATE))

    @server.tool(
        title="Forecast",
        annotations=ToolAnnotations(readOnlyHint=True, openWorldHint=False),
    )
    def get_forecast(
        city: City, days: Annotated[int, Field(ge=1, le=7, description="How many days.")] = 1
    ) -> Forecast:
        """The forecast for a city, day by day."""
        mean, sky = _climate(city)
        coming = range(1, days + 1)
        return Forecast(
            city=city,
            days=[Day(day=n, celsius=round(mean + n % 3 - 1, 1), sky=sky) for n in coming],
        )

    @server.tool(
        title="Save alert",
        annotations=ToolAnnotations(
            readOnlyHint=False, destructiveHint=False, idempotentHint=True, openWorldHint=False
        ),
    )
    def save_alert(city: City, level: Literal["yellow", "orange", "red"]) -> SavedAlert:
        """Saves a weather alert for a city. Saving the same alert again changes nothing."""
        _climate(city)
        alert = SavedAlert(alert_id=f"{city.lower()}-{level}", city=city, level=level)
        alerts.mkdir(parents=True, exist_ok=True)
        (alerts / f"{alert.alert_id}.json").write_text(json.dumps(alert.model_dump()) + "\n")
        return alert

    return server


def _climate(city: str) -> tuple[float, Literal["sun", "clouds", "rain"]]:
    if city not in CLIMATE:
        raise ToolError(f"unknown city; list_cities names the {len(CLIMATE)} known ones")
    return CLIMATE[city]


def alerts_folder() -> Path:
    """The folder alerts are saved in."""
    return Path(os.environ.get("WEATHER_ALERTS", "alerts"))


def serve(server: MCPServer) -> None:
    """Serve over stdio, or over HTTP with `--http PORT`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--http", type=int, metavar="PORT")
    port = parser.parse_args().http
    if port is None:
        server.run("stdio")
    else:
        server.run("streamable-http", port=port, stateless_http=True, json_response=True)


if __name__ == "__main__":
    serve(build(alerts_folder()))
