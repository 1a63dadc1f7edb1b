import JSONServerTesting

/// An employee with what the client asked for, in one GET.
private struct Employee: Decodable {
  struct Title: Decodable { let title: String }
  struct Salary: Decodable { let salary: Int }

  let empNo: Int
  let titles: [Title]?
  let salaries: [Salary]?

  private enum CodingKeys: String, CodingKey {
    case empNo = "emp_no"
    case titles, salaries
  }
}

@Suite(
  .jsonServer(
    [
      "employees": [["emp_no": 10004, "first_name": "Chirstian"], ["emp_no": 10005, "first_name": "Kyoichi"]],
      "titles": [
        ["id": 1, "emp_no": 10004, "title": "Engineer"], ["id": 2, "emp_no": 10004, "title": "Senior Engineer"],
        ["id": 3, "emp_no": 10005, "title": "Staff"],
      ],
      "salaries": [["emp_no": 10004, "salary": 40054], ["emp_no": 10005, "salary": 78228]],
    ]
  ) {
    $0.routes = [
      #"/employees/:id\?details=:first&details=:second"#: "/employees/:id?_embed=:first&_embed=:second",
      #"/employees/:id\?details=:first"#: "/employees/:id?_embed=:first",
    ]
    $0.idNames = ["employees": "emp_no"]
  })
struct `An employee with details in one GET` {
  private func employee(_ target: String) async throws -> Employee {
    let data = try await URLSession.forTests.get(target, at: try MockServer.current.url).data
    return try JSONDecoder().decode(Employee.self, from: data)
  }

  @Test(arguments: [
    "/employees/10004?details=titles&details=salaries", "/employees/10004?_embed=titles,salaries",
    "/employees/10004?_embed=titles&_embed=salaries",
  ])
  func `What the client names comes along`(_ target: String) async throws {
    let employee = try await employee(target)
    #expect(employee.empNo == 10004)
    #expect(employee.titles?.map(\.title) == ["Engineer", "Senior Engineer"])
    #expect(employee.salaries?.map(\.salary) == [40054])
  }

  @Test func `What the client does not name stays away`() async throws {
    let employee = try await employee("/employees/10005?details=titles")
    #expect(employee.titles?.map(\.title) == ["Staff"])
    #expect(employee.salaries == nil)
  }

  @Test func `The details have an address of their own`() async throws {
    let data = try await URLSession.forTests.get("/employees/10004/titles", at: try MockServer.current.url).data
    #expect(try JSONDecoder().decode([Employee.Title].self, from: data).count == 2)
  }
}
