"""What is said in Korean of a failure and of what to do about it, by the code of the judge."""

from collections.abc import Mapping

_NO_BODY = "응답에서 검사할 본문을 정할 수 없습니다."

OUTCOMES: Mapping[str, str] = {
    "TOOL_NOT_FOUND": "툴 '{expected}'을(를) 찾을 수 없습니다. 발견된 툴: {found}",
    "IS_ERROR_MISMATCH": "정상 응답을 기대했지만 오류 응답을 받았습니다.",
    "IS_ERROR_MISMATCH.expected": "오류 응답을 기대했지만 정상 응답을 받았습니다.",
    "BODY_EXTRACTION_FAILED": f"{_NO_BODY} 실제: {{actual}}",
    "BODY_EXTRACTION_FAILED.CONTENT_NOT_ARRAY": (
        f"{_NO_BODY} content가 배열이 아닙니다. 실제 타입: {{actual}}"
    ),
    "BODY_EXTRACTION_FAILED.CONTENT_BLOCK_COUNT": (
        f"{_NO_BODY} content 블록이 {{actual}}개입니다. 1개여야 합니다."
    ),
    "BODY_EXTRACTION_FAILED.CONTENT_BLOCK_NOT_TEXT": (
        f"{_NO_BODY} content 블록이 text가 아닙니다. 실제 type: {{actual}}"
    ),
    "BODY_EXTRACTION_FAILED.CONTENT_TEXT_MISSING": (
        f"{_NO_BODY} content 블록의 text 필드가 문자열이 아닙니다. 실제 타입: {{actual}}"
    ),
    "BODY_SCHEMA_MISMATCH": "응답이 기대 스키마와 다릅니다. 위반 {total}건.",
    "BODY_SCHEMA_MISMATCH.some": (
        "응답이 기대 스키마와 다릅니다. 위반 {total}건 중 {listed}건을 표시합니다."
    ),
    "STRUCTURED_CONTENT_EXTRACTION_FAILED": "응답에 structuredContent가 없습니다.",
    "STRUCTURED_CONTENT_SCHEMA_MISMATCH": (
        "structuredContent가 기대 스키마와 다릅니다. 위반 {total}건."
    ),
    "STRUCTURED_CONTENT_SCHEMA_MISMATCH.some": (
        "structuredContent가 기대 스키마와 다릅니다. 위반 {total}건 중 {listed}건을 표시합니다."
    ),
    "PROMPT_NOT_FOUND": "프롬프트 '{expected}'을(를) 찾을 수 없습니다. 발견된 프롬프트: {found}",
    "RESOURCE_NOT_FOUND": "리소스 '{expected}'을(를) 찾을 수 없습니다. 발견된 리소스: {found}",
    "RESOURCE_TEMPLATE_NOT_FOUND": (
        "리소스 템플릿 '{expected}'을(를) 찾을 수 없습니다. 발견된 템플릿: {found}"
    ),
    "JSON_SCHEMA_MISMATCH": "응답이 JSON Schema와 다릅니다. ({message})",
    "VALUE_MISMATCH": "지정한 위치의 값이 기대와 다릅니다. ({message})",
    "PROTOCOL_ERROR_MISMATCH": "기대한 JSON-RPC 오류가 아닙니다. ({message})",
    "LATENCY_EXCEEDED": "응답이 허용된 시간보다 오래 걸렸습니다. ({message})",
    "CAPTURE_NOT_FOUND": "저장할 값을 응답에서 찾을 수 없습니다. ({message})",
    "CAPTURE_MASKED": "저장할 값이 자격 증명처럼 보여 가려졌습니다. ({message})",
    "ANSWERS_UNUSED": "준비한 답을 서버가 묻지 않았습니다. ({message})",
    "OPERATION_RESULT_UNAVAILABLE": "MCP 작업 결과가 없어 assertion을 검사할 수 없습니다.",
    "OPERATION_FAILED": "MCP 작업 실행이 실패했습니다. ({why})",
    "CASE_TIMEOUT": "케이스가 제한 시간 안에 끝나지 않았습니다. ({why})",
    "CASE_NOT_RUN": "케이스를 실행하지 않았습니다. ({why})",
    # conditions on the whole run
    "REJECTION_UNVERIFIED": "거절 근거를 확인하지 못한 케이스가 있습니다. ({message})",
    "REJECTION_NOT_SEEN": "응답이 없는 케이스가 있어 거절 근거를 알 수 없습니다. ({message})",
    "SUITE_NOT_APPROVED": "명세에 승인 지문이 없습니다. ({message})",
    "SUITE_NOT_COMPARED": "두 실행을 비교하지 못했습니다. ({message})",
    "SUITE_TOOLS_UNKNOWN": "툴 선언을 알 수 없습니다. ({message})",
    "SUITE_COVERAGE_TOO_LOW": "계약 축 커버리지가 요구보다 낮습니다. ({message})",
    "SUITE_NONDETERMINISTIC": "두 실행의 결과가 다릅니다. ({message})",
    "SUITE_INPUT_UNDECLARED": "입력이 서버 선언과 맞지 않습니다. ({message})",
    "SUITE_APPROVAL_DRIFTED": "명세가 승인 시점 이후 변경되었습니다. ({message})",
}

STEPS: Mapping[str, str] = {
    "TOOL_NOT_FOUND": "서버의 tools/list 응답과 테스트 명세를 확인하세요.",
    "IS_ERROR_MISMATCH": "툴 입력값과 서버의 오류 응답을 확인하세요.",
    "BODY_EXTRACTION_FAILED": "bodyMatchesSchema는 text 블록 1개짜리 응답에만 쓸 수 있습니다.",
    "BODY_SCHEMA_MISMATCH": "스키마 변경이 의도된 것이라면 테스트를 업데이트하세요.",
    "STRUCTURED_CONTENT_EXTRACTION_FAILED": (
        "structuredContent를 돌려주세요. text 본문은 대신할 수 없습니다."
    ),
    "STRUCTURED_CONTENT_SCHEMA_MISMATCH": "스키마 변경이 의도된 것이라면 테스트를 업데이트하세요.",
    "PROMPT_NOT_FOUND": "서버의 prompts/list 응답과 테스트 명세를 확인하세요.",
    "RESOURCE_NOT_FOUND": "서버의 resources/list 응답과 테스트 명세를 확인하세요.",
    "RESOURCE_TEMPLATE_NOT_FOUND": (
        "서버의 resources/templates/list 응답과 테스트 명세를 확인하세요."
    ),
    "JSON_SCHEMA_MISMATCH": "스키마 변경이 의도된 것이라면 테스트를 업데이트하세요.",
    "VALUE_MISMATCH": "응답을 고치거나, 의도한 변경이라면 테스트를 업데이트하세요.",
    "PROTOCOL_ERROR_MISMATCH": "계약에 적힌 오류로 응답하거나 테스트를 업데이트하세요.",
    "LATENCY_EXCEEDED": "서버가 느린 이유를 확인하거나 테스트의 제한을 조정하세요.",
    "CAPTURE_NOT_FOUND": "서버 응답이나 capture의 pointer를 고치세요.",
    "CAPTURE_MASKED": "다른 값을 저장하세요. 서버가 준 자격 증명은 보관하거나 전달하지 않습니다.",
    "ANSWERS_UNUSED": "서버가 묻게 하거나 필요 없는 답을 지우세요.",
    "OPERATION_FAILED": "MCP 서버 연결과 작업 입력값을 확인하세요.",
    "CASE_TIMEOUT": "서버가 느린 이유를 확인하거나 케이스의 timeoutMs를 늘리세요.",
    "REJECTION_UNVERIFIED": "해당 케이스의 응답을 확인하고, 서버가 입력 거절임을 밝히게 하세요.",
    "REJECTION_NOT_SEEN": "해당 케이스에 응답이 없는 이유를 확인하고 다시 실행하세요.",
    "SUITE_NOT_APPROVED": "명세를 검토한 뒤 bundlegate suite approve 로 승인하세요.",
    "SUITE_NOT_COMPARED": "실행이 멈춘 이유를 확인하고 --reset-cmd 로 상태를 복원하세요.",
    "SUITE_TOOLS_UNKNOWN": "서버의 tools/list 응답과 inputSchema를 확인하세요.",
    "SUITE_COVERAGE_TOO_LOW": "미검증 축을 검사하는 케이스를 추가하세요.",
    "SUITE_NONDETERMINISTIC": "바뀌는 값을 단언하지 말고, 상태를 --reset-cmd 로 복원하세요.",
    "SUITE_INPUT_UNDECLARED": "명세의 입력을 서버가 선언한 대로 고치세요.",
    "SUITE_APPROVAL_DRIFTED": "명세 diff 를 확인하고 다시 승인하세요.",
    "CASE_NOT_RUN": "앞선 케이스를 확인하세요. 서버가 사라졌거나 실행 시간이 끝났습니다.",
}
